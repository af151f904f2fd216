// What a new session is made of.
import type { SessionState } from '../../contract/index.ts';
import type { ChildOf } from '../child.ts';
import type { SessionPlace } from '../session-parts.ts';
import type { SessionSettings } from '../settings/session-options.ts';

export interface NewSession {
  readonly owner: string;
  readonly settings: SessionSettings;
  readonly oneShot?: { readonly repeatable: boolean } | undefined;
  readonly within?: Omit<WithinSession, 'parent'> & { readonly place: Pick<SessionPlace, 'history' | 'tree'> };
}

/** An agent's session, in the session that wants it. */
export interface WithinSession {
  readonly parent: { readonly id: string; readonly owner: string };
  readonly child: ChildOf;
  readonly state: SessionState;
}
