// What the client of MCP servers needs of the rest of the service, and the limits it keeps.

/** The standard `fetch`, as far as it is used; it must not follow redirects by itself when told `redirect: 'manual'`. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** Who named a server: what a session names is reached through the guarded way out. */
export type Origin = 'session' | 'operator';

/** Judges schemas that come from strangers, and what they are for, in a time that is bounded. */
export interface SchemaJudge {
  /** Why a tool's input schema cannot be used; `undefined` when it can. Never throws. */
  readonly fault: (schema: object) => string | undefined;
  /** Gives what is wrong with a value, or `undefined`. @throws Error when the schema cannot be used */
  readonly compile: (schema: object) => (value: unknown) => string | undefined;
}

export interface McpLimits {
  /** Milliseconds to connect and to list the tools. */
  readonly connectMs: number;
  /** Milliseconds that one call may take, where the server's settings say nothing else. */
  readonly callMs: number;
  /** Milliseconds without progress after which a call is ended. Time that people take does not count. */
  readonly callIdleMs: number;
  /** Milliseconds without a call after which a connection is closed; the next call opens it again. */
  readonly idleMs: number;
  /** The same for a server that may hold state: a program, or one that gave a session id. */
  readonly statefulIdleMs: number;
  /** Bytes of one message. */
  readonly messageBytes: number;
  /** Tools of one server; further ones are left out. */
  readonly tools: number;
  /** Characters of the definitions of one server's tools, as JSON; further ones are left out. */
  readonly toolCharacters: number;
  /** Milliseconds of work that checking one list of tools may take; what is not checked by then is left out. */
  readonly checkMs: number;
  /** Milliseconds before the first attempt to connect again; each further one waits twice as long, up to `maxBackOffMs`. */
  readonly backOffMs: number;
  readonly maxBackOffMs: number;
  /** Attempts in a row after a lost connection. */
  readonly reconnects: number;
}

export const DEFAULT_LIMITS: McpLimits = {
  connectMs: 10_000,
  callMs: 600_000,
  callIdleMs: 300_000,
  idleMs: 300_000,
  statefulIdleMs: 1_800_000,
  messageBytes: 16 * 1024 ** 2,
  tools: 1_000,
  toolCharacters: 4_000_000,
  checkMs: 2_000,
  backOffMs: 500,
  maxBackOffMs: 60_000,
  reconnects: 3,
};
