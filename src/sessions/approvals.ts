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
} from '../contract/index.ts';
import { newId } from './ids.ts';

/** An answer of a client, as the session takes it. */
export interface ApprovalDecision {
  readonly behavior: 'allow' | 'deny';
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

interface Pending {
  readonly summary: ApprovalSummary;
  readonly turnId: string;
  readonly resolve: (answer: ApprovalAnswer) => void;
  readonly timer: NodeJS.Timeout;
}

/** Ids of answered approvals that are remembered, so that a second answer is told apart from a wrong id. */
const REMEMBERED = 1_000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export class SessionApprovals implements Approvals {
  readonly #askTimeoutMs: () => number;
  readonly #pending = new Map<string, Pending>();
  readonly #answered = new LRUCache<string, true>({ max: REMEMBERED });
  /** Questions of turns that were interrupted, by turn and call. */
  readonly #earlier = new Map<string, ApprovalSummary>();

  /** @param askTimeoutMs how long a question waits now; 0 when nobody is asked */
  constructor(askTimeoutMs: () => number) {
    this.#askTimeoutMs = askTimeoutMs;
  }

  ask({ turnId, toolUseId, name, input, reason, suggestions }: ApprovalRequest): OpenApproval | null {
    const earlier = this.#takeEarlier(turnId, toolUseId, input);
    const timeoutMs = earlier === undefined ? this.#askTimeoutMs() : Date.parse(earlier.expires_at) - Date.now();
    if (earlier === undefined && timeoutMs === 0) return null;
    const summary = earlier ?? {
      id: newId('apr'),
      tool_use_id: toolUseId,
      name,
      input,
      reason,
      suggestions: suggestions.map((rule) => ({ rule })),
      expires_at: new Date(Date.now() + timeoutMs).toISOString(),
    };
    const { promise, resolve } = Promise.withResolvers<ApprovalAnswer>();
    const expire = (): void => this.#settle(summary.id, { behavior: 'deny', by: 'expiry' });
    const timer = setTimeout(expire, Math.min(Math.max(timeoutMs, 0), LONGEST_TIMER_MS));
    timer.unref();
    this.#pending.set(summary.id, { summary, turnId, resolve, timer });
    return { summary, answer: promise, told: earlier !== undefined };
  }

  withdraw(approvalId: string, by: 'abort' | 'discard' | 'hook'): void {
    this.#settle(approvalId, { behavior: 'deny', by });
  }

  /** In the order in which they were asked. */
  get pending(): ApprovalSummary[] {
    return [...this.#pending.values()].map(({ summary }) => summary);
  }

  /** The question and its turn. @throws Problem `approval-not-found`, `approval-already-resolved` */
  find(approvalId: string): { summary: ApprovalSummary; turnId: string } {
    const found = this.#pending.get(approvalId);
    if (found !== undefined) return found;
    const id = JSON.stringify(approvalId.slice(0, 80));
    if (this.#answered.has(approvalId))
      throw new Problem('approval-already-resolved', `The approval ${id} is resolved already: that stands.`);
    throw new Problem('approval-not-found', `No approval ${id} is waiting in this session.`);
  }

  /** @throws Problem `approval-not-found`, `approval-already-resolved` */
  answer(approvalId: string, { behavior, updatedInput, message }: ApprovalDecision): void {
    this.find(approvalId);
    this.#settle(approvalId, { behavior, by: 'client', ...(updatedInput && { updatedInput }), ...(message !== undefined && { message }) });
  }

  /** Forgets what is asked without an answer: it is in the log, and asked again from there. */
  suspend(): void {
    for (const { timer } of this.#pending.values()) clearTimeout(timer);
    this.#pending.clear();
  }

  /** A turn goes on that was interrupted: its questions keep their ids and the time they have left. */
  restore(turnId: string, open: Iterable<ApprovalSummary>): void {
    for (const summary of open) this.#earlier.set(keyOf(turnId, summary.tool_use_id), summary);
  }

  /** An approval holds for one exact input. */
  #takeEarlier(turnId: string, toolUseId: string, input: unknown): ApprovalSummary | undefined {
    const key = keyOf(turnId, toolUseId);
    const earlier = this.#earlier.get(key);
    this.#earlier.delete(key);
    return earlier !== undefined && isDeepStrictEqual(earlier.input, JSON.parse(JSON.stringify(input ?? null))) ? earlier : undefined;
  }

  #settle(approvalId: string, answer: ApprovalAnswer): void {
    const pending = this.#pending.get(approvalId);
    if (pending === undefined) return;
    this.#pending.delete(approvalId);
    this.#answered.set(approvalId, true);
    clearTimeout(pending.timer);
    pending.resolve(answer);
  }
}

function keyOf(turnId: string, toolUseId: string): string {
  return JSON.stringify([turnId, toolUseId]);
}
