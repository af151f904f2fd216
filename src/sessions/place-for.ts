import type { ChildOf } from './child.ts';
import type { SessionParts, SessionPlace } from './session-parts.ts';
import type { SessionSettings } from './settings/session-options.ts';

interface Placed {
  readonly id: string;
  readonly parts: SessionParts;
  readonly settings: SessionSettings;
  readonly child: ChildOf | undefined;
}

/** The place of a session. @param path its workspace; absent for one of its own. @throws Problem `forbidden` */
export function placeOf({ id, parts, settings, child }: Placed, path: string | undefined): Promise<SessionPlace> {
  const additionalDirs = settings.permissions.additional_dirs;
  return parts.place({ id, path, additionalDirs, ...(child && { sharedWith: child.root.sessionId }) });
}

/** The place of a session with other settings: the same where its directories stay. @throws Problem `forbidden` */
export async function placeFor(session: Placed & { readonly place: SessionPlace }, settings: SessionSettings): Promise<SessionPlace> {
  const { place, settings: before } = session;
  const [was, is] = [before, settings].map(({ permissions }) => JSON.stringify(permissions.additional_dirs));
  return was === is ? place : placeOf({ ...session, settings }, place.ephemeral ? undefined : place.workspace);
}
