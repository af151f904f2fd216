/** `watch` may only look on. */
export type Scope = 'watch' | 'drive';

export interface Ticket {
  readonly owner: string;
  readonly sessionId: string;
  readonly scope: Scope;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Where tickets wait, by digest. Nodes behind one address need one that they share. */
export interface TicketStore {
  /** @returns false when the owner has as many waiting as it may */
  put(digest: string, ticket: Ticket): Promise<boolean>;
  /** Gives each ticket once, also when several ask at the same moment. */
  take(digest: string): Promise<Ticket | null>;
}
