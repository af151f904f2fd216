// Takes one call through judging and running. It holds a place only while it works: one that waits for people holds none,
// and one that is no longer safe beside others waits until it is alone.
import { messageOf } from '../../contract/index.ts';
import { afterInterruption, unlessInDoubt } from './after-interruption.ts';
import { answerOf } from './ask-people.ts';
import type { BegunCall } from './begun-call.ts';
import { stoppedEnding, type CallCase, type CallEnding } from './call-case.ts';
import { judge, judgeAnswer, type Verdict } from './judge-call.ts';
import type { ReadyCall } from '../prepare/prepare.ts';
import { runCall, stopOr } from './run-call.ts';

/** Whether a call may run where it is, also with the input that hooks or people have given it. */
type Fits = (ready: ReadyCall) => boolean;

/** Ends in exactly one ending and never throws. */
export async function carryCall(call: CallCase, ready: ReadyCall, fits: Fits): Promise<CallEnding> {
  const { slots } = call;
  try {
    let step = await slots.run(() => work(call, fits, () => begin(call, ready)));
    while (step.kind === 'asked') {
      const { question } = step;
      const answer = await answerOf(call, question.open);
      step = await slots.run(() => work(call, fits, () => judgeAnswer(call, question, answer)));
    }
    if (step.kind === 'cleared') {
      const cleared = step;
      step = await alone(call, async () => ({ kind: 'ended', ending: await runCall(call, cleared) }));
    }
    if (step.kind === 'ended') return unlessInDoubt(step.ending, call.doubt);
    return stopOr(call, { outcome: 'denied', message: 'The call was judged in a way that is not known.', modifiers: [] });
  } catch (error) {
    return unlessInDoubt(stopOr(call, { outcome: 'tool_error', message: messageOf(error), modifiers: [] }), call.doubt);
  } finally {
    call.stop.release();
    if (call.outside.asks) await call.outside.closed();
  }
}

/** What an interrupted attempt has done is looked for first; what is still to be done is judged. */
function begin(call: CallCase, ready: ReadyCall): Promise<Verdict> {
  return call.begun === undefined ? judge(call, ready) : goOn(call, ready, call.begun);
}

async function goOn(call: CallCase, ready: ReadyCall, begun: BegunCall): Promise<Verdict> {
  const ending = await afterInterruption(call, ready, begun);
  return ending === undefined ? judge(call, ready) : { kind: 'ended', ending };
}

/** Judges, and runs at once what may run where it is. */
function work(call: CallCase, fits: Fits, judging: () => Promise<Verdict>): Promise<Verdict> {
  return untilClosed(call, async () => {
    const verdict = await judging();
    if (call.stop.reason !== undefined && verdict.kind !== 'ended') {
      if (verdict.kind === 'asked') call.guards.approvals.withdraw(verdict.question.open.summary.id, 'abort');
      return { kind: 'ended', ending: stoppedEnding(call.stop.reason) };
    }
    if (verdict.kind !== 'cleared' || !fits(verdict.ready)) return verdict;
    return { kind: 'ended', ending: await runCall(call, verdict) };
  });
}

/** Runs when nothing else does. The time until then does not count, and a call that is stopped before that has not begun. */
async function alone(call: CallCase, step: () => Promise<Verdict>): Promise<Verdict> {
  let begun = false;
  call.stop.unlimit();
  const run = call.slots.alone(() => {
    begun = true;
    return untilClosed(call, step);
  });
  await Promise.race([run, call.stop.stopped]);
  const { reason } = call.stop;
  return begun || reason === undefined ? run : { kind: 'ended', ending: stoppedEnding(reason) };
}

/** Judging has the same time as running: a check that never answers must not hold the turn. */
async function untilClosed(call: CallCase, step: () => Promise<Verdict>): Promise<Verdict> {
  const { stop } = call;
  if (stop.reason !== undefined) return { kind: 'ended', ending: stoppedEnding(stop.reason) };
  stop.limit(call.timeoutMs);
  return stop.untilClosed(step, (reason) => ({ kind: 'ended', ending: call.ended ?? stoppedEnding(reason) }));
}
