// A call that may run: announce → run → PostToolUse hooks. Ends in exactly one ending.
import { messageOf, textOf, type ContextModifier, type Decision, type ResultContent, type ToolResult } from '../../contract/index.ts';
import { stoppedEnding, type CallCase, type CallEnding } from './call-case.ts';
import { feedbackOf, hearHooks, hooked } from './hear-hooks.ts';
import { intentOf } from './intent.ts';
import type { ClearedCall } from './judge-call.ts';
import { runTool } from './run-tool.ts';
import { notingWaits } from './queue-time.ts';

/** Nobody reads it: whoever has taken the session over says how the call ends. */
const TAKEN_OVER = { kind: 'aborted', message: 'Another node takes the session over: this call was not started here.' } as const;

/** Never throws: whatever the tool throws is an ending. */
export async function runCall(call: CallCase, cleared: ClearedCall): Promise<CallEnding> {
  const { ready, decision } = cleared;
  const intent = ready.effect !== 'read' && ready.tool.intent !== undefined ? await intentOf(call, cleared) : undefined;
  if (call.stop.reason !== undefined) return stoppedEnding(call.stop.reason);
  call.stop.resumable = ready.effect !== 'once';
  const journalled = call.announce(ready, decision, intent);
  // An effect may only begin once its start is journalled; a call that only reads need not wait for that.
  if (ready.effect !== 'read' || call.resumed) await Promise.race([journalled, call.stop.stopped]);
  if (call.stop.reason !== undefined) return stoppedEnding(call.stop.reason);
  if (call.guards.mayStart?.() === false) return stoppedEnding(TAKEN_OVER);
  call.doubt = undefined;
  const startedAt = performance.now();
  const ending = await execute(call, cleared);
  return hearEnd(call, { cleared, ending, durationMs: Math.round(performance.now() - startedAt - call.waits.ms) });
}

/** Lets the hooks speak that stand after a call; from here on nothing can undo how it ended. */
export function hearEnd(call: CallCase, run: Run): CallEnding | Promise<CallEnding> {
  const { ending, cleared } = run;
  call.ended = cleared.notes.length === 0 ? ending : { ...ending, notes: cleared.notes };
  call.stop.unlimit();
  const event = ending.outcome === 'ok' ? 'PostToolUse' : 'PostToolUseFailure';
  if (!call.guards.hooks.listens(event)) return call.ended;
  return hearAfter(call, run);
}

async function execute(call: CallCase, { ready, decision }: ClearedCall): Promise<CallEnding> {
  const { tool, input } = ready;
  const modifiers: ContextModifier[] = [];
  call.stop.start(tool.timeoutMs);
  try {
    const context = call.contextFor(decision);
    const result = await runTool(
      tool,
      { input, context: { ...context, commands: notingWaits(context.commands, call.waits) } },
      { progress: (data) => call.progress(data), modifier: (modify) => modifiers.push(modify) },
    );
    return endingOfResult(call, result, { modifiers, decision });
  } catch (error) {
    return stopOr(call, { outcome: 'tool_error', message: messageOf(error), modifiers: [], decision });
  }
}

/** @param run.modifiers what the tool has asked for before its result */
export function endingOfResult(
  call: CallCase,
  result: ToolResult,
  { modifiers, decision }: { modifiers: readonly ContextModifier[]; decision: Decision },
): CallEnding {
  const last = result.contextModifier === undefined ? [] : [result.contextModifier];
  if (result.isError !== true) return { outcome: 'ok', result, modifiers: [...modifiers, ...last], decision };
  return stopOr(call, { outcome: result.timedOut === true ? 'timed_out' : 'tool_error', result, modifiers: [], decision });
}

/** A call that failed after it was stopped has failed because of that. */
export function stopOr(call: CallCase, ending: CallEnding): CallEnding {
  const { reason } = call.stop;
  return reason === undefined ? ending : { ...ending, outcome: reason.kind, message: reason.message };
}

export interface Run {
  readonly cleared: ClearedCall;
  readonly ending: CallEnding;
  readonly durationMs: number;
}

/** What the call has done stays done: they can add to what the model reads, or end the turn. */
async function hearAfter(call: CallCase, { cleared, ending, durationMs }: Run): Promise<CallEnding> {
  const seen = hooked(call, cleared.ready);
  const { result, message, outcome } = ending;
  const verdict = await hearHooks(
    call,
    outcome === 'ok' && result !== undefined
      ? { event: 'PostToolUse', call: seen, content: result.content, output: result.output, durationMs }
      : {
          event: 'PostToolUseFailure',
          call: seen,
          error: message ?? textOf(result?.content ?? ''),
          interrupted: call.stop.reason !== undefined,
          durationMs,
        },
    signalOfClose(call),
  );
  const notes = [...cleared.notes, ...feedbackOf(verdict)];
  const shown = verdict.updatedOutput === undefined || result === undefined ? result : replaced(result, verdict.updatedOutput);
  return { ...ending, ...(shown && { result: shown }), notes };
}

/** Hooks after a call that was stopped have the time that its tool had to stop. */
function signalOfClose({ stop }: CallCase): AbortSignal {
  const over = new AbortController();
  void stop.closed.then((reason) => over.abort(reason));
  return over.signal;
}

/** What a hook shows instead of a result stands for all of it: a file with the whole is not told of. */
function replaced({ spilled: _spilled, ...result }: ToolResult, content: ResultContent): ToolResult {
  return { ...result, content };
}
