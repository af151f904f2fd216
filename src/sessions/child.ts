// A session within a session: an agent's own, which works in the workspace of the one that wants it, under its rules.

export interface ChildOf {
  readonly sessionId: string;
  /** The turn and call that want it. */
  readonly turnId: string;
  readonly toolUseId: string;
  /** The session at the top and its turn: whose directory is worked in, and whose checkpoint covers what is written. */
  readonly root: { readonly sessionId: string; readonly turnId: string };
  /** 1 for an agent of a session, 2 for an agent of an agent. */
  readonly depth: number;
  /** Of a member of one of the parent's teams: its name there. */
  readonly member?: { readonly team: string; readonly name: string };
}
