// What a running call may ask of people and of the session's client. One that waits for them gives its place away, and
// none of its questions outlives it.
import type { ApprovalAnswer, ClientAnswer, OpenApproval, People, PeopleQuestion } from '../../contract/index.ts';
import type { CallCase } from './call-case.ts';

type Asking = Pick<CallCase, 'guards' | 'stop' | 'tell'>;

/** The answer to a question that was put to people; a call that is stopped or has ended meanwhile takes it back. */
export async function answerOf({ stop, guards, tell }: Asking, open: OpenApproval): Promise<ApprovalAnswer> {
  const { id } = open.summary;
  stop.unlimit();
  if (!open.told) tell({ type: 'approval_requested', approval: open.summary });
  const answer = await Promise.race([open.answer, stop.stopped.then(() => null), stop.ended.then(() => null)]);
  if (answer === null) guards.approvals.withdraw(id, stop.reason?.kind === 'discarded' ? 'discard' : 'abort');
  const given = answer ?? (await open.answer);
  tell({ type: 'approval_resolved', approval_id: id, behavior: given.behavior, by: given.by });
  return given;
}

/** A call as it turns to those outside. */
type Reach = Asking & Pick<CallCase, 'use' | 'turnId' | 'slots' | 'timeoutMs' | 'progress'>;

/** Those outside, for a call that runs. */
export class Outside implements People {
  readonly #reach: Reach;
  readonly #questions = new Set<Promise<unknown>>();

  constructor(reach: Reach) {
    this.#reach = reach;
  }

  async approve({ reason, input = {}, name, signal }: PeopleQuestion): Promise<ApprovalAnswer> {
    const { use, turnId, guards, stop, slots, timeoutMs } = this.#reach;
    const request = { turnId, toolUseId: use.id, name: name ?? use.name, input, reason, suggestions: [] };
    const open = stop.over || signal?.aborted === true ? null : guards.approvals.ask(request);
    if (open === null) return { behavior: 'deny', by: 'settings' };
    const answer = slots.giveAway(() => answerOf(this.#reach, open));
    const takeBack = (): void => guards.approvals.withdraw(open.summary.id, 'abort');
    signal?.addEventListener('abort', takeBack, { once: true });
    this.#questions.add(answer);
    try {
      return await answer;
    } finally {
      signal?.removeEventListener('abort', takeBack);
      this.#questions.delete(answer);
      if (this.#questions.size === 0) stop.limit(timeoutMs);
    }
  }

  async callClient(input: unknown): Promise<ClientAnswer> {
    const { use, turnId, guards, stop, slots, tell, progress } = this.#reach;
    if (stop.over) throw new Error('The call has ended.');
    const open = guards.client.open({ turnId, toolUseId: use.id, name: use.name, input, onProgress: progress });
    if (!open.told) tell({ type: 'client_call', tool_use_id: use.id, name: use.name, input });
    const over = Promise.race([stop.stopped, stop.ended]).then(() => null);
    const { resumable } = stop;
    // The client may answer whoever goes on with the turn.
    stop.resumable = true;
    const answer = await slots.giveAway(() => Promise.race([open.answer, over]));
    stop.resumable = resumable;
    if (answer !== null) return answer;
    guards.client.withdraw(turnId, use.id);
    throw new Error(stop.reason?.message ?? 'The call has ended.');
  }

  /** True while a question is open. */
  get asks(): boolean {
    return this.#questions.size > 0;
  }

  /** Resolves when no question of a call that has ended is open any more. */
  async closed(): Promise<void> {
    await Promise.allSettled(this.#questions);
  }
}
