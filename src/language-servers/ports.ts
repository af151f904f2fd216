// What language servers need of the rest of the service, and the limits they are kept to.

export interface LanguageServerLimits {
  /** Bytes of one message, and of what waits to be read by a server. */
  readonly messageBytes: number;
  /** Messages and bytes that a server may send in the time of one question, and until the next. */
  readonly messages: number;
  readonly bytes: number;
  /** Questions that one server has not answered. */
  readonly pending: number;
  /** Documents that one server has open. */
  readonly documents: number;
  /** Servers of one session that run at once. */
  readonly servers: number;
  /** Failures within `failuresMs` after which a server is not started again until they are longer ago. */
  readonly failures: number;
  readonly failuresMs: number;
  /** Milliseconds before the start after a failure; each further one waits twice as long. */
  readonly backOffMs: number;
  /** Milliseconds without a question after which a server is ended. */
  readonly idleMs: number;
  readonly requestMs: number;
  /** Milliseconds that the first question waits for a server to say that it is loading, and any for it to be done with that. */
  readonly beginMs: number;
  readonly loadingMs: number;
  /** Milliseconds to wait for what a server finds wrong with a file, in all and after it last said something. */
  readonly diagnosticsMs: number;
  readonly quietMs: number;
  /** Milliseconds for a server to end by itself. */
  readonly stopMs: number;
}

export const DEFAULT_LIMITS: LanguageServerLimits = {
  messageBytes: 16 * 1024 ** 2,
  messages: 50_000,
  bytes: 512 * 1024 ** 2,
  pending: 64,
  documents: 32,
  servers: 8,
  failures: 3,
  failuresMs: 300_000,
  backOffMs: 500,
  idleMs: 600_000,
  requestMs: 60_000,
  beginMs: 1_000,
  loadingMs: 30_000,
  diagnosticsMs: 20_000,
  quietMs: 1_000,
  stopMs: 2_000,
};
