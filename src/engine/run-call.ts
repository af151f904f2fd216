// The pipeline of one call: validate → decide → announce → run. Ends in exactly one ending and never throws.
import type {
  CallContext,
  ContextModifier,
  Decision,
  Outcome,
  PermissionContext,
  Policy,
  StopReason,
  ToolResult,
  ToolUse,
} from '../contract/index.ts';
import type { CallStop } from './call-stop.ts';
import { messageOf } from './message-of.ts';
import type { ReadyCall } from './prepare.ts';
import { runTool } from './run-tool.ts';

/** How a call ended, before its text is made fit for the model. */
export interface CallEnding {
  readonly outcome: Outcome;
  /** Set when the tool gave a result, also a failed one. */
  readonly result?: ToolResult;
  /** Set when there is no result: the reason, for the model. */
  readonly message?: string;
  readonly modifiers: readonly ContextModifier[];
  readonly decision?: Decision;
}

export interface CallRun {
  readonly use: ToolUse;
  readonly ready: ReadyCall;
  readonly policy: Policy;
  readonly permissions: PermissionContext;
  readonly context: CallContext;
  readonly stop: CallStop;
  /** Tells that the call starts; resolves when that is journalled. */
  announce(decision: Decision): Promise<void>;
  progress(data: unknown): void;
}

export async function runCall(run: CallRun): Promise<CallEnding> {
  // Judging has the same time as running: a check that never answers must not hold the turn.
  run.stop.limit(run.ready.tool.timeoutMs);
  try {
    return await Promise.race([stages(run), run.stop.closed.then(stoppedEnding)]);
  } catch (error) {
    return stopOr(run, { outcome: 'tool_error', message: messageOf(error), modifiers: [] });
  } finally {
    run.stop.release();
  }
}

async function stages(run: CallRun): Promise<CallEnding> {
  const invalid = run.ready.tool.validateInput === undefined ? undefined : await semanticFault(run);
  if (invalid !== undefined) return { outcome: 'invalid_input', message: invalid, modifiers: [] };
  const decision = await decide(run);
  if (decision.behavior !== 'allow') return { outcome: 'denied', message: deniedText(run, decision), modifiers: [], decision };
  if (run.stop.reason !== undefined) return stoppedEnding(run.stop.reason);
  const journalled = run.announce(decision);
  // An effect may only begin once its start is journalled; a call that only reads need not wait for that.
  if (run.ready.effect !== 'read') await Promise.race([journalled, run.stop.stopped]);
  if (run.stop.reason !== undefined) return stoppedEnding(run.stop.reason);
  return execute(run, decision);
}

async function execute(run: CallRun, decision: Decision): Promise<CallEnding> {
  const { tool, input } = run.ready;
  const modifiers: ContextModifier[] = [];
  run.stop.start(tool.timeoutMs);
  const result = await runTool(
    tool,
    { input, context: run.context },
    { progress: (data) => run.progress(data), modifier: (modify) => modifiers.push(modify) },
  );
  if (result.contextModifier !== undefined) modifiers.push(result.contextModifier);
  if (result.isError !== true) return { outcome: 'ok', result, modifiers, decision };
  return stopOr(run, { outcome: result.timedOut === true ? 'timed_out' : 'tool_error', result, modifiers: [], decision });
}

/** A call that failed after it was stopped has failed because of that. */
function stopOr(run: CallRun, ending: CallEnding): CallEnding {
  const { reason } = run.stop;
  return reason === undefined ? ending : { ...ending, outcome: reason.kind, message: reason.message };
}

export function stoppedEnding({ kind, message }: StopReason): CallEnding {
  return { outcome: kind, message, modifiers: [] };
}

async function semanticFault(run: CallRun): Promise<string | undefined> {
  try {
    const verdict = await run.ready.tool.validateInput?.(run.ready.input);
    return verdict === undefined || verdict.ok ? undefined : verdict.message;
  } catch (error) {
    return `The input could not be checked: ${messageOf(error)}`;
  }
}

/** Deny, unless everything that decides says otherwise. */
async function decide(run: CallRun): Promise<Decision> {
  try {
    const { tool, input, readOnly } = run.ready;
    return await run.policy.decide({ toolUseId: run.use.id, tool, input, readOnly }, run.permissions);
  } catch (error) {
    return { behavior: 'deny', decided_by: 'policy', reason: `The permission check failed: ${messageOf(error)}` };
  }
}

function deniedText(run: CallRun, decision: Decision): string {
  const reason = decision.reason ?? (decision.behavior === 'ask' ? 'it needs an approval that nobody can give here' : 'a rule denies it');
  return `Permission to use ${run.ready.tool.name} was denied: ${reason}`;
}
