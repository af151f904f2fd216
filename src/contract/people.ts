// Whom a running call may ask outside of the service: people, whether it may go on, and the client, to do its work.
import type { ApprovalAnswer } from './approval-answer.ts';
import type { ResultContent } from './content.ts';

/** What a client answers to a `client_call`. */
export interface ClientAnswer {
  readonly content: ResultContent;
  readonly isError: boolean;
}

/** What is asked of the client. */
export interface ClientRequest {
  readonly turnId: string;
  readonly toolUseId: string;
  readonly name: string;
  readonly input: unknown;
  /** What the client tells while it works. */
  readonly onProgress: (data: unknown) => void;
}

/** A call that lies with the client. */
export interface OpenClientCall {
  readonly answer: Promise<ClientAnswer>;
  /** True when it was told of before, so that it is not told twice. */
  readonly told: boolean;
}

/** The port through which calls reach the session's client. */
export interface ClientCalls {
  open(request: ClientRequest): OpenClientCall;
  /** Nobody waits for the answer any more. */
  withdraw(turnId: string, toolUseId: string): void;
}

export interface PeopleQuestion {
  readonly reason: string;
  readonly input?: unknown;
  /** Of the tool that it is about, where the call lets another do something. */
  readonly name?: string;
  /** Takes the question back when it fires: it was answered elsewhere, or does not matter any more. */
  readonly signal?: AbortSignal;
}

/** What a running call may do with those outside of it. Time spent waiting for them does not count, but for the client's own limit. */
export interface People {
  /**
   * Puts a question to people, as an approval of this call; resolves with a deny where nobody can be asked, when the call is
   * stopped, and when the question is taken back.
   */
  approve(question: PeopleQuestion): Promise<ApprovalAnswer>;
  /** Hands the call to the session's client and waits for its answer. @throws the call's StopReason as Error when the call is stopped */
  callClient(input: unknown): Promise<ClientAnswer>;
}
