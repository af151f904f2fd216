// What people are asked in a session, until it is answered, withdrawn, or its time is over.
import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import {
  Problem,
  type ApprovalAnswer,
  type ApprovalRequest,
  type Approvals,
  type ApprovalSummary,
  type OpenApproval,
} from '../../contract/index.ts';
import { callKey } from './call-key.ts';
import { newId } from '../ids.ts';

/** An answer of a client, as the session takes it. */
export interface ApprovalDecision {
  readonly behavior: 'allow' | 'deny';
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

interface Pending {
  readonly summary: ApprovalSummary;
  readonly turnId: string;
  readonly answer: Promise<ApprovalAnswer>;
  readonly resolve: (answer: ApprovalAnswer) => void;
  timer: NodeJS.Timeout;
  /** Somebody is answering it. */
  claimed: boolean;
}

/** Ids of answered approvals that are remembered, so that a second answer is told apart from a wrong id. */
const REMEMBERED = 1_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export class SessionApprovals implements Approvals {
  readonly #askTimeoutMs: () => number;
  readonly #pending = new Map<string, Pending>();
  /** Made when it is needed, since it takes room for all of them at once. */
  #answered: LRUCache<string, true> | undefined;
  /** Questions of turns that were interrupted and have not been put again yet, by turn and call. */
  readonly #earlier = new Map<string, Pending>();

  #left = false;

  /** @param askTimeoutMs how long a question waits now; 0 when nobody is asked */
  constructor(askTimeoutMs: () => number) {
    this.#askTimeoutMs = askTimeoutMs;
  }

  ask({ turnId, toolUseId, name, input, reason, suggestions }: ApprovalRequest): OpenApproval | null {
    const earlier = this.#takeEarlier(turnId, toolUseId, input);
    if (earlier !== undefined) return { summary: earlier.summary, answer: earlier.answer, told: true };
    const timeoutMs = this.#askTimeoutMs();
    if (timeoutMs === 0) return null;
    const { summary, answer } = this.#open(turnId, {
      id: newId('apr'),
      tool_use_id: toolUseId,
      name,
      input,
      reason,
      suggestions: suggestions.map((rule) => ({ rule })),
      expires_at: new Date(Date.now() + timeoutMs).toISOString(),
    });
    return { summary, answer, told: false };
  }

  withdraw(approvalId: string, by: 'abort' | 'discard'): void {
    this.#settle(approvalId, { behavior: 'deny', by });
  }

  /** In the order in which they were asked. */
  get pending(): ApprovalSummary[] {
    return [...this.#pending.values()].map(({ summary }) => summary);
  }

  /**
   * From now on these questions are whose who claims them: nobody else's answer counts, and they do not expire. All or none.
   * @returns the questions, and their turns
   * @throws Problem `approval-not-found`, `approval-already-resolved`, `draining`
   */
  claim(approvalIds: readonly string[]): readonly { readonly summary: ApprovalSummary; readonly turnId: string }[] {
    const claimed = approvalIds.map((id) => this.#find(id));
    for (const pending of claimed) {
      pending.claimed = true;
      clearTimeout(pending.timer);
    }
    return claimed;
  }

  /** Gives claimed questions back. */
  unclaim(approvalIds: readonly string[]): void {
    for (const pending of approvalIds.flatMap((id) => this.#pending.get(id) ?? [])) {
      pending.claimed = false;
      pending.timer = this.#expiry(pending.summary);
    }
  }

  /** Answers a claimed question; one that was withdrawn meanwhile stays so. */
  answer(approvalId: string, { behavior, updatedInput, message }: ApprovalDecision): void {
    this.#settle(approvalId, { behavior, by: 'client', ...(updatedInput && { updatedInput }), ...(message !== undefined && { message }) });
  }

  /** A turn goes on that was interrupted: its questions keep their ids and the time they have left, and can be answered at once. */
  restore(turnId: string, open: Iterable<ApprovalSummary>): void {
    for (const summary of open) this.#earlier.set(callKey(turnId, summary.tool_use_id), this.#open(turnId, summary));
  }

  /** The session is left to whoever opens it next, and its questions with it: nothing is answered here any more. */
  leave(): void {
    this.#left = true;
  }

  /** The turn has ended: nothing is asked for it any more. */
  forget(turnId: string): void {
    for (const [id, pending] of this.#pending) if (pending.turnId === turnId) this.withdraw(id, 'abort');
    for (const [key, pending] of this.#earlier) if (pending.turnId === turnId) this.#earlier.delete(key);
  }

  #open(turnId: string, summary: ApprovalSummary): Pending {
    const { promise: answer, resolve } = Promise.withResolvers<ApprovalAnswer>();
    const pending = { summary, turnId, answer, resolve, timer: this.#expiry(summary), claimed: false };
    this.#pending.set(summary.id, pending);
    return pending;
  }

  /** An approval holds for one exact input. */
  #takeEarlier(turnId: string, toolUseId: string, input: unknown): Pending | undefined {
    const key = callKey(turnId, toolUseId);
    const earlier = this.#earlier.get(key);
    if (earlier === undefined) return undefined;
    this.#earlier.delete(key);
    if (isDeepStrictEqual(earlier.summary.input, JSON.parse(JSON.stringify(input ?? null)))) return earlier;
    this.withdraw(earlier.summary.id, 'abort');
    return undefined;
  }

  #find(approvalId: string): Pending {
    if (this.#left)
      throw new Problem('draining', 'The service is shutting down: answer again, elsewhere or later.', { retryAfterSeconds: 1 });
    const found = this.#pending.get(approvalId);
    if (found?.claimed === false) return found;
    const id = JSON.stringify(approvalId.slice(0, 80));
    if (found !== undefined || this.#answered?.has(approvalId) === true)
      throw new Problem('approval-already-resolved', `The approval ${id} is resolved already: that stands.`);
    throw new Problem('approval-not-found', `No approval ${id} is waiting in this session.`);
  }

  /** Runs out when a question's time is over. */
  #expiry({ id, expires_at: expiresAt }: ApprovalSummary): NodeJS.Timeout {
    const leftMs = Date.parse(expiresAt) - Date.now();
    const expire = (): void => this.#settle(id, { behavior: 'deny', by: 'expiry' });
    return setTimeout(expire, Math.min(Math.max(leftMs, 0), LONGEST_TIMER_MS)).unref();
  }

  #settle(approvalId: string, answer: ApprovalAnswer): void {
    const pending = this.#pending.get(approvalId);
    if (pending === undefined) return;
    this.#pending.delete(approvalId);
    this.#answered ??= new LRUCache({ max: REMEMBERED });
    this.#answered.set(approvalId, true);
    clearTimeout(pending.timer);
    pending.resolve(answer);
  }
}
