// The port to people who are asked whether a call may run.
import type { ApprovalAnswer } from './approval-answer.ts';
import type { ApprovalSummary } from './event.ts';

export interface ApprovalRequest {
  readonly turnId: string;
  readonly toolUseId: string;
  readonly name: string;
  /** As observers see it. */
  readonly input: unknown;
  readonly reason: string;
  /** Rules that would allow such calls from now on, the narrowest useful one first. */
  readonly suggestions: readonly string[];
}

/** A question that has been asked. */
export interface OpenApproval {
  readonly summary: ApprovalSummary;
  readonly answer: Promise<ApprovalAnswer>;
  /** True when it was told of before, so that it is not told twice. */
  readonly told: boolean;
}

export interface Approvals {
  /** Asks; `null` when nobody can be asked, so that the answer is no. The same call's question after a restart keeps its id and expiry. */
  ask(request: ApprovalRequest): OpenApproval | null;
  /** Withdraws a question that no longer matters: its answer becomes a deny by `by`. */
  withdraw(approvalId: string, by: 'abort' | 'discard'): void;
}
