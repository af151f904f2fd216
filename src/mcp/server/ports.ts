// What the MCP server needs of sessions, and tells them of its clients.
import type { ApprovalSummary, Outcome, ResultContent } from '../../contract/index.ts';

/** A client, as the session behind it sees it. */
export interface HostClient {
  /** Name of the key that it asks with. */
  readonly owner: string;
  /** True when it stays, to be told what changes. */
  readonly connected: boolean;
  /** True when its people can be asked whether a call may run. */
  asks(): boolean;
  /** The session has other tools now. @returns false when the client does not listen, so that it was not told */
  toolsChanged(): boolean;
  /** The session is over. */
  ended(): void;
}

/** The tools of one session. */
export interface ToolHost {
  /** Definitions in MCP's form, in their order. @throws Problem */
  list(signal: AbortSignal): Promise<readonly unknown[]>;
  /** @throws Problem when the call could not even begin */
  begin(call: { readonly name: string; readonly arguments: unknown }): Promise<HostedCall>;
  /** Tells the client when the session has other tools than it knows of. Never throws. */
  look(): void;
  /** Lets go of what was made for the client. Never throws. */
  close(): Promise<void>;
}

/** A call that is under way. */
export interface HostedCall {
  /** Where it is found in the API; a session that goes with the call is not among them. */
  readonly ids: { readonly tool_use_id: string; readonly turn_id?: string; readonly session_id?: string };
  /**
   * Resolves when it has ended, or people must be asked, which is told only if the client asks.
   * @throws Problem when the end could not be kept
   */
  step(watch: { readonly signal: AbortSignal; readonly onProgress?: (data: unknown) => void }): Promise<CallStep>;
  /** Takes the people's answer; one that comes too late counts for nothing. @throws Problem */
  answer(approvalId: string, answer: PeoplesAnswer): Promise<void>;
  cancel(): void;
}

export interface PeoplesAnswer {
  readonly behavior: 'allow' | 'deny';
  /** What they wrote into the form that the tool had for them. */
  readonly updatedInput?: Readonly<Record<string, unknown>>;
}

export type CallStep =
  | {
      readonly kind: 'asked';
      readonly approval: ApprovalSummary;
      /** True when the tool asks something while it runs, false when it is not known yet whether it may. */
      readonly byTool: boolean;
    }
  | {
      readonly kind: 'ended';
      readonly outcome: Outcome;
      readonly isError: boolean;
      readonly content: ResultContent;
      readonly coerced: readonly string[];
    };

/** Where sessions for clients come from. */
export interface ToolHosts {
  /** A session of its own, made when it is first needed, gone when the host is closed. */
  own(client: HostClient): ToolHost;
  /** A session of its own for each request. */
  oneShots(client: HostClient): ToolHost;
  /** The session with this id, which stays. */
  existing(client: HostClient, sessionId: string): ToolHost;
}

/** One HTTP request, as far as its body and headers do not say it. */
export interface Caller {
  readonly owner: string;
  /** The session that the client wants, `null` for one of its own. */
  readonly sessionId: string | null;
  /** The body, already parsed; absent where there is none. */
  readonly body?: unknown;
  /** False while the client does not read what is sent to it. */
  readonly reads: () => boolean;
  /** Resolves when the reply has been sent, or its client has left. */
  readonly closed: Promise<void>;
}
