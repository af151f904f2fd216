// What hooks and rules do for a call, put into its trace: when they begin to look at it, and where the requests of hooks belong.
import { setImmediate as nextTurnOfTheLoop } from 'node:timers/promises';
import type { HookOccasion, Hooks, PermissionContext, Policy } from '../contract/index.ts';
import type { SessionParts } from '../sessions/session-parts.ts';
import type { Tracing } from './trace-observer.ts';

type Guards = Pick<SessionParts, 'policyFor' | 'hooksFor'>;

/** @returns guards that decide the same */
export function tracedGuards({ policyFor, hooksFor }: Guards, tracing: Tracing): Guards {
  return {
    policyFor: (...about) => tracedPolicy(policyFor(...about), tracing),
    hooksFor: (...about) => tracedHooks(hooksFor(...about), tracing),
  };
}

function tracedPolicy(policy: Policy, { judging }: Tracing): Policy {
  return {
    decide(call, context) {
      judging(context.sessionId, call.toolUseId);
      return policy.decide(call, context);
    },
  };
}

function tracedHooks(hooks: Hooks, tracing: Tracing): Hooks {
  return {
    listens: (event) => hooks.listens(event),
    async run(occasion, context, signal) {
      const trace = await headersOf(occasion, context, tracing);
      return hooks.run({ ...occasion, trace }, context, signal);
    },
  };
}

async function headersOf(
  occasion: HookOccasion,
  { sessionId }: PermissionContext,
  tracing: Tracing,
): Promise<Readonly<Record<string, string>>> {
  const toolUseId = 'call' in occasion ? occasion.call.toolUseId : undefined;
  if (toolUseId !== undefined && occasion.event === 'PreToolUse') {
    tracing.judging(sessionId, toolUseId);
    // The first hooks of a call may be asked before it is told of.
    if (!tracing.knows(sessionId, toolUseId)) await nextTurnOfTheLoop();
  }
  return tracing.headersIn(sessionId, toolUseId);
}
