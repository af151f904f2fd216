// What changes with a session's settings, and with those of its agents: rules hold at once, all else from the next turn on.
import type { SessionRow, SessionState, Toolbox } from '../contract/index.ts';
import type { ChildOf } from './child.ts';
import { inMode } from './agents/child-settings.ts';
import type { EventLog } from './log/event-log.ts';
import { placeFor } from './place-for.ts';
import type { SessionGuard } from './session-guard.ts';
import type { SessionAbout, SessionParts, SessionPlace } from './session-parts.ts';
import type { SessionSettings } from './settings/session-options.ts';
import type { SessionStart } from './session-start.ts';

/** A session as its settings change it. */
export interface Changing extends SessionAbout {
  readonly parts: SessionParts;
  readonly guard: Pick<SessionGuard, 'renew'>;
  readonly log: EventLog;
  readonly child: ChildOf | undefined;
  readonly children: readonly string[];
  readonly handOn: SessionStart['handOn'];
  place: SessionPlace;
  settings: SessionSettings;
  state: SessionState;
  toolbox: Toolbox;
  updatedAt: number;
  row(): SessionRow;
  /** @throws Problem once it is closed */
  assertOpen(): void;
}

export interface SettingsChange {
  /** What the settings become of what they are. */
  readonly next: (settings: SessionSettings) => SessionSettings;
  /** True when the mode is to be as they say, whatever a call has made of it. */
  readonly setsMode: boolean;
}

/** @throws Problem `forbidden`, `store-unavailable`, and what `next` throws */
export async function changeSettings(session: Changing, { next, setsMode }: SettingsChange): Promise<void> {
  session.assertOpen();
  const before = session.settings;
  const settings = next(before);
  if (settings === before) return;
  session.parts.guard(settings);
  const place = await placeFor(session, settings);
  session.assertOpen();
  session.place = place;
  session.settings = settings;
  const { mode } = settings.permissions;
  if (mode !== before.permissions.mode || (setsMode && mode !== session.state.mode))
    session.state = inMode(session.state, mode, session.child !== undefined);
  session.toolbox = session.parts.toolboxFor(settings, session);
  session.guard.renew();
  session.updatedAt = Date.now();
  const { children } = session;
  await Promise.all([session.handOn({ settings, children, setsMode }), session.log.append({ events: [], session: session.row() })]);
}
