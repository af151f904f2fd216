// What of a session is kept in its row.
import type { SessionState } from '../contract/index.ts';
import type { SessionPlace } from './session-parts.ts';
import type { SessionSettings } from './session-options.ts';

export interface KeptSession {
  readonly settings: SessionSettings;
  readonly state: SessionState;
  readonly workspace: string;
  readonly ephemeral: boolean;
  readonly updatedAt: number;
  /** As it was when the row was written. */
  readonly toolsHash: string;
}

export type Keepable = Pick<KeptSession, 'settings' | 'state' | 'updatedAt' | 'toolsHash'> & { readonly place: SessionPlace };

export function keptSession({ settings, state, place: { workspace, ephemeral }, updatedAt, toolsHash }: Keepable): KeptSession {
  return { settings, state, workspace, ephemeral, updatedAt, toolsHash };
}
