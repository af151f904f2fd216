// Types that the documents of the service do not name.
import type { AnyClientTool } from './client-tool.ts';
import type {
  AbortFrame,
  ApprovalFrame,
  BackgroundFrame,
  CancelFrame,
  ClientProgressFrame,
  ClientResultFrame,
  DiscardFrame,
  EndFrame,
  ErrorEvent,
  MessageFrame,
  PingFrame,
  Session,
  SessionEvent,
  SessionOptions,
  StreamEvent,
  SubscribeFrame,
  ToolList,
  ToolUseFrame,
} from './generated.ts';

export type MessageFormat = 'anthropic' | 'openai_chat' | 'openai_responses';

/** Whatever a session tells its readers, told apart by `type`. `session` and `error` come over sockets alone. */
export type ToolexecEvent = StreamEvent | SessionEvent | ErrorEvent;

/** What a socket takes, beside the stream events of a model. */
export type ClientFrame =
  | ToolUseFrame
  | MessageFrame
  | EndFrame
  | DiscardFrame
  | AbortFrame
  | CancelFrame
  | BackgroundFrame
  | ApprovalFrame
  | ClientResultFrame
  | ClientProgressFrame
  | SubscribeFrame
  | PingFrame;

/** A session as the service shows it. */
export type SessionInfo = Session;

/** What a new session is made of. */
export interface CreateOptions extends SessionOptions {
  /** Tools that this client runs: declared to the service beside `tools.custom`. */
  readonly clientTools?: readonly AnyClientTool[];
}

/** What may be changed of a session: a merge patch, in which `null` takes a value back to its default. */
export type SessionPatch = Partial<Record<'permissions' | 'tools' | 'execution' | 'env' | 'metadata', object | null>> & {
  readonly ttl_ms?: number | null;
};

export interface PageOptions {
  /** At most this many, from 1 to 200. */
  readonly limit?: number;
  /** `next_cursor` of the page before. */
  readonly cursor?: string;
}

export interface Page<Item> {
  readonly data: Item[];
  /** Absent on the last page. */
  readonly next_cursor?: string;
}

export interface CallOptions {
  /** Where to run it. In a session made for this call when absent. */
  readonly sessionId?: string;
  /** Options of the session that is made for the call. */
  readonly session?: SessionOptions;
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

export interface MessagesOptions {
  /** Options of the session that is made for the message. */
  readonly session?: SessionOptions;
  readonly format?: MessageFormat;
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

/** Tools in the format that was asked for: name the type that the SDK of the model has for them. */
export type ToolsOf<Tool> = Omit<ToolList, 'tools'> & { tools: Tool[] };
