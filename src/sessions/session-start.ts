// What a session is opened with: a new one, or one from the store.
import type { SessionState } from '../contract/index.ts';
import type { KeptTask } from './tasks/background-tasks.ts';
import type { ChildOf } from './child.ts';
import type { EventLog } from './log/event-log.ts';
import type { SessionPlace } from './session-parts.ts';
import type { SessionSettings } from './settings/session-options.ts';
import type { NewestTurn } from './turn/turn-queue.ts';

/** What an agent's session takes from the one that wants it. */
export interface ParentNow {
  readonly settings: SessionSettings;
  readonly children: readonly string[];
  /** True when the mode is to be as they say, whatever a call has made of it. */
  readonly setsMode: boolean;
}

export interface SessionStart {
  readonly id: string;
  readonly owner: string;
  readonly createdAt: number;
  readonly settings: SessionSettings;
  readonly state: SessionState;
  readonly place: SessionPlace;
  readonly log: EventLog;
  /** Turns the session has had so far. */
  readonly turns: number;
  readonly newest: NewestTurn | null;
  /** Background tasks as they were kept. */
  readonly tasks: readonly KeptTask[];
  /** Set for an agent's session. */
  readonly child: ChildOf | undefined;
  /** Ids of its agents' sessions. */
  readonly children: readonly string[];
  /** Throws when no new turn may begin. */
  readonly assertAccepting: () => void;
  /** Has the sessions of its agents go by what its settings are now. @throws Problem `store-unavailable` */
  readonly handOn: (parent: ParentNow) => Promise<void>;
}
