// How nodes tell one another of a session.

export interface InboxMessage {
  /** The same each time the message is handed over. */
  readonly id: string;
  readonly text: string;
}

/** Messages to whoever executes a session. They wait, in order, while nobody does. */
export interface Inbox {
  /**
   * Leaves a message; once this resolves it will be handed over, whatever becomes of the owner.
   * @throws Problem `overloaded` while too many messages wait, `payload-too-large`, `store-unavailable`
   */
  send(sessionId: string, text: string): Promise<void>;
  /**
   * Hands over one message after another until the signal aborts, first those that an earlier owner took and did not
   * finish. A message is taken away once `handle` has resolved, so one may come twice after a crash: its id is the same.
   * An outage of the store makes it wait, not end.
   * @throws StaleEpochError when the session has a newer owner; whatever `handle` throws, and its message stays
   */
  receive(
    owner: { readonly sessionId: string; readonly epoch: number },
    handle: (message: InboxMessage) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void>;
}

/** Tells of changes that any node made. */
export interface WakeUps {
  /**
   * Calls `onChange` after each commit to a session with the last `seq` of its log, and with `undefined` when anything may
   * have happened: as soon as it listens, after a time in which it could not, and when the session was removed. So whoever
   * reads the store at each call misses nothing.
   * @returns stops it
   */
  watch(sessionId: string, onChange: (lastSeq: number | undefined) => void): () => void;
}
