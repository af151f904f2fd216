// The port to teams: named agents of one session that run in its background and write to each other.

export interface TeamMember {
  readonly name: string;
  readonly taskId: string;
}

export interface Team {
  readonly name: string;
  readonly description: string;
  readonly members: readonly TeamMember[];
}

/** What others have written to a member. */
export interface TeamInbox {
  /** Takes what waits, oldest first: texts that say who has written them. */
  take(): readonly string[];
  /** Resolves with true when something waits, with false when it is no member any more or `signal` fires. */
  wait(signal: AbortSignal): Promise<boolean>;
}

/** The teams of one session. All of them throw errors fit for a model. */
export interface Teams {
  /** @throws Error when the name is taken, or there are too many */
  create(team: { readonly name: string; readonly description: string }): Team;
  get(name: string): Team | undefined;
  list(): readonly Team[];
  /** Notes that a task is a member of a team. @throws Error when there is no such team, the name is taken in it, or it is full */
  join(team: string, member: TeamMember): TeamInbox;
  /** Stops its members and forgets it. @throws Error when there is no such team */
  remove(name: string): Promise<void>;
  /**
   * Puts a message into the inbox of a member, or of all with `*`.
   * @param from name of the member that writes; absent for the session's own model
   * @returns names of those who got it
   * @throws Error when nobody of that name is there, or an inbox is full
   */
  send(message: { readonly team: string; readonly to: string; readonly text: string; readonly from?: string }): readonly string[];
}
