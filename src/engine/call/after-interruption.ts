// What becomes of a call that was running when the service stopped: it is found done, runs again by all the rules, or nobody
// knows. A call runs again by itself only so often, since it may be what brings the service down.
import { isDeepStrictEqual } from 'node:util';
import type { ProbeAnswer, ToolResult } from '../../contract/index.ts';
import { UNKNOWN, type BegunCall } from './begun-call.ts';
import type { CallCase, CallEnding } from './call-case.ts';
import { observableInput } from '../prepare/observable.ts';
import { prepareChanged, type ReadyCall } from '../prepare/prepare.ts';
import { endingOfResult, hearEnd } from './run-call.ts';
import { isResult } from './run-tool.ts';

/** Starts of a call by itself: the first, and three more. */
const MOST_STARTS = 4;

function unknownEnding(message: string): CallEnding {
  return { outcome: 'outcome_unknown', message, modifiers: [] };
}

/** However a call ends of which nobody knows what its interrupted attempt has done, that is what is told. */
export function unlessInDoubt(ending: CallEnding, doubt: string | undefined): CallEnding {
  return doubt === undefined ? ending : unknownEnding(doubt);
}

/**
 * Looks for what an interrupted attempt has done.
 * @returns how the call ends, or `undefined`: it runs again
 */
export async function afterInterruption(call: CallCase, ready: ReadyCall, begun: BegunCall): Promise<CallEnding | undefined> {
  const ending = await endingOf(call, ready, begun);
  if (ending !== undefined) call.doubt = undefined;
  return ending;
}

async function endingOf(call: CallCase, ready: ReadyCall, begun: BegunCall): Promise<CallEnding | undefined> {
  const again = begun.starts < MOST_STARTS ? undefined : unknownEnding(tooOften(begun));
  if (begun.effect === 'read') return again;
  if (ready.tool.probe === undefined) {
    // Without a look the doubt stays until the call runs.
    return begun.effect === 'idempotent' && ready.effect !== 'once' ? again : unknownEnding(UNKNOWN);
  }
  const startedAt = performance.now();
  const answer = await probe(call, ready, begun);
  if (answer.kind === 'applied') {
    return applied(call, ready, { begun, result: answer.result, durationMs: Math.round(performance.now() - startedAt) });
  }
  if (answer.kind !== 'not_applied') return unknownEnding([UNKNOWN, ...knownOf(answer)].join('\n'));
  call.doubt = undefined;
  return again;
}

function knownOf({ known }: Extract<ProbeAnswer, { kind: 'unclear' }>): string[] {
  return typeof known === 'string' ? [known] : [];
}

function tooOften({ starts, effect }: BegunCall): string {
  const known = effect === 'read' ? 'It only reads, so nothing is lost' : 'Look whether it has taken effect';
  return `The service stopped each of the ${starts} times that this call ran, so it does not run again by itself. ${known}; repeat it only if it cannot be the cause.`;
}

/** A tool that cannot tell, or answers something else, knows nothing. */
async function probe(call: CallCase, ready: ReadyCall, begun: BegunCall): Promise<ProbeAnswer> {
  const { decision, intent } = begun;
  try {
    const input = inputThen(call, ready, begun);
    const answer = await ready.tool.probe?.(input, { ...call.contextFor(decision), ...(intent && { intent }) });
    return answer === undefined || (answer.kind === 'applied' && !isResult(answer.result)) ? { kind: 'unclear' } : answer;
  } catch {
    return { kind: 'unclear' };
  }
}

/** What the call ran with: where hooks or people had changed that, it is as they made it. @throws Error when that is no input any more */
function inputThen(call: CallCase, ready: ReadyCall, begun: BegunCall): unknown {
  const seen = JSON.stringify(observableInput(ready.tool, ready.input, call.permissions)) ?? 'null';
  if (isDeepStrictEqual(JSON.parse(seen), begun.input)) return ready.input;
  const changed = prepareChanged(ready, begun.input, call.guards.catalog);
  if (typeof changed === 'string') throw new Error(changed);
  return changed.input;
}

/** What stands after a call has not been heard: it comes now. */
function applied(call: CallCase, ready: ReadyCall, { begun, result, durationMs }: FoundDone) {
  call.doubt = undefined;
  const { decision } = begun;
  const ending = endingOfResult(call, result, { modifiers: [], decision });
  return hearEnd(call, { cleared: { ready, decision, notes: [] }, ending, durationMs });
}

interface FoundDone {
  readonly begun: BegunCall;
  readonly result: ToolResult;
  readonly durationMs: number;
}
