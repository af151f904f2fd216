/** The right to execute a session, held by one node at a time. */
export interface Lease {
  readonly sessionId: string;
  /** Higher than that of every lease before: what is written with a lower one is refused ({@link StaleEpochError}). */
  readonly epoch: number;
  /**
   * Aborted once nothing new may start under this lease: some time before another node can get it, so that what runs can
   * still be stopped. The reason says why.
   */
  readonly lost: AbortSignal;
  /**
   * Whether something may start now. Asks the clock: a process that was frozen learns it here before its timers tell, so
   * ask right before an effect.
   */
  isHeld(): boolean;
  /** Gives the session to whoever asks next. What was started under the lease must have ended. Never rejects. */
  release(): Promise<void>;
}

/** Who executes which session. Leases are renewed until they are released. */
export interface Leases {
  /**
   * Takes a session; `null` while somebody has it, this node included.
   * @throws Problem `store-unavailable`
   */
  acquire(sessionId: string): Promise<Lease | null>;
  /**
   * Name of the node that has a session now; `null` when nobody does.
   * @throws Problem `store-unavailable`
   */
  holder(sessionId: string): Promise<string | null>;
  /** Releases what is still held. */
  close(): Promise<void>;
}
