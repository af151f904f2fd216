// Takes one call through judging and running. It holds a place only while it works: one that waits for people holds none,
// and one that is no longer safe beside others waits until it is alone.
import type { ApprovalAnswer, EngineEvent } from '../contract/index.ts';
import { stoppedEnding, type CallCase, type CallEnding } from './call-case.ts';
import { judge, judgeAnswer, type Question, type Verdict } from './judge-call.ts';
import { messageOf } from './message-of.ts';
import type { ReadyCall } from './prepare.ts';
import { runCall, stopOr } from './run-call.ts';
import type { Slots } from './slots.ts';

export interface Way {
  readonly slots: Slots;
  /** The call's batch runs calls side by side. */
  readonly concurrent: boolean;
  tell(event: EngineEvent): void;
}

/** Ends in exactly one ending and never throws. */
export async function carryCall(call: CallCase, ready: ReadyCall, way: Way): Promise<CallEnding> {
  try {
    let step = await way.slots.run(() => work(call, way, () => judge(call, ready)));
    while (step.kind === 'asked') {
      const { question } = step;
      const answer = await answerOf(call, question, way);
      step = await way.slots.run(() => work(call, way, () => judgeAnswer(call, question, answer)));
    }
    if (step.kind === 'cleared') {
      const cleared = step;
      step = await way.slots.alone(() => untilClosed(call, async () => ({ kind: 'ended', ending: await runCall(call, cleared) })));
    }
    if (step.kind === 'ended') return step.ending;
    return stopOr(call, { outcome: 'denied', message: 'The call was judged in a way that is not known.', modifiers: [] });
  } catch (error) {
    return stopOr(call, { outcome: 'tool_error', message: messageOf(error), modifiers: [] });
  } finally {
    call.stop.release();
  }
}

/** Judges, and runs at once what may run where it is. */
function work(call: CallCase, way: Way, judging: () => Promise<Verdict>): Promise<Verdict> {
  return untilClosed(call, async () => {
    const verdict = await judging();
    if (call.stop.reason !== undefined && verdict.kind !== 'ended') {
      if (verdict.kind === 'asked') call.guards.approvals.withdraw(verdict.question.open.summary.id, 'abort');
      return { kind: 'ended', ending: stoppedEnding(call.stop.reason) };
    }
    if (verdict.kind !== 'cleared' || (way.concurrent && !verdict.ready.concurrencySafe)) return verdict;
    return { kind: 'ended', ending: await runCall(call, verdict) };
  });
}

/** Judging has the same time as running: a check that never answers must not hold the turn. */
async function untilClosed(call: CallCase, step: () => Promise<Verdict>): Promise<Verdict> {
  const { stop } = call;
  if (stop.reason !== undefined) return { kind: 'ended', ending: stoppedEnding(stop.reason) };
  stop.limit(call.timeoutMs);
  return Promise.race([step(), stop.closed.then((reason): Verdict => ({ kind: 'ended', ending: stoppedEnding(reason) }))]);
}

/** The answer to a question that was put to people; a call that is stopped meanwhile takes it back. */
async function answerOf(call: CallCase, { open }: Question, way: Way): Promise<ApprovalAnswer> {
  const { stop, guards } = call;
  const { id } = open.summary;
  stop.unlimit();
  if (!open.told) way.tell({ type: 'approval_requested', approval: open.summary });
  const answer = await Promise.race([open.answer, stop.stopped.then(() => null)]);
  if (answer === null) guards.approvals.withdraw(id, stop.reason?.kind === 'discarded' ? 'discard' : 'abort');
  const given = answer ?? (await open.answer);
  way.tell({ type: 'approval_resolved', approval_id: id, behavior: given.behavior, by: given.by });
  return given;
}
