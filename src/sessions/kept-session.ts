// What of a session is kept in its row.
import type { SessionState } from '../contract/index.ts';
import type { KeptTask } from './tasks/background-tasks.ts';
import type { ChildOf } from './child.ts';
import type { SessionPlace } from './session-parts.ts';
import type { SessionSettings } from './settings/session-options.ts';

export interface KeptSession {
  readonly settings: SessionSettings;
  readonly state: SessionState;
  readonly workspace: string;
  readonly ephemeral: boolean;
  readonly updatedAt: number;
  /** As it was when the row was written. */
  readonly toolsHash: string;
  readonly tasks?: readonly KeptTask[];
  /** Set for an agent's session. */
  readonly child?: ChildOf | undefined;
  /** Ids of its agents' sessions, which go with it. */
  readonly children?: readonly string[];
}

export type Keepable = Pick<KeptSession, 'settings' | 'state' | 'updatedAt' | 'toolsHash' | 'child' | 'children'> & {
  readonly place: SessionPlace;
  readonly tasks: { summaries(): readonly KeptTask[] };
};

export function keptSession(session: Keepable): KeptSession {
  const { settings, state, place, updatedAt, toolsHash, child, children = [] } = session;
  const { workspace, ephemeral } = place;
  const tasks = session.tasks.summaries();
  return {
    settings,
    state,
    workspace,
    ephemeral,
    updatedAt,
    toolsHash,
    ...(tasks.length > 0 && { tasks }),
    ...(child !== undefined && { child }),
    ...(children.length > 0 && { children }),
  };
}
