// The error catalogue of the service. A fault of a tool call is never one of these: it is a tool_result.

/** Stable slugs; a retired one is never used again. */
export const PROBLEM_CODES = [
  'invalid-request',
  'duplicate-tool-use-id',
  'unauthorized',
  'forbidden',
  'host-not-allowed',
  'not-found',
  'session-not-found',
  'turn-not-found',
  'call-not-found',
  'approval-not-found',
  'task-not-found',
  'checkpoint-not-found',
  'file-not-found',
  'file-conflict',
  'quota-exceeded',
  'approval-already-resolved',
  'tool-use-id-reused',
  'idempotency-key-reused',
  'precondition-failed',
  'payload-too-large',
  'unsupported-media-type',
  'range-not-satisfiable',
  'upgrade-required',
  'too-many-requests',
  'turn-queue-full',
  'internal',
  'draining',
  'store-unavailable',
  'session-elsewhere',
  'overloaded',
] as const;
export type ProblemCode = (typeof PROBLEM_CODES)[number];

export interface ProblemIssue {
  path: string;
  message: string;
}

/** A request that cannot be served; `detail` says what to change. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly issues: readonly ProblemIssue[];
  readonly retryAfterSeconds: number | undefined;
  constructor(
    code: ProblemCode,
    detail: string,
    extra: { issues?: readonly ProblemIssue[]; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(detail, { cause: extra.cause });
    this.code = code;
    this.issues = extra.issues ?? [];
    this.retryAfterSeconds = extra.retryAfterSeconds;
  }
}
