import type { ChildOf } from './child.ts';
import type { SessionParts, SessionPlace } from './session-parts.ts';
import type { SessionSettings } from './session-options.ts';

interface Placed {
  readonly id: string;
  readonly parts: SessionParts;
  readonly place: SessionPlace;
  readonly settings: SessionSettings;
  readonly child: ChildOf | undefined;
}

/** The place of a session with other settings: the same where its directories stay. @throws Problem `forbidden` */
export async function placeFor({ id, parts, place, settings: before, child }: Placed, settings: SessionSettings): Promise<SessionPlace> {
  const { additional_dirs: additionalDirs } = settings.permissions;
  if (JSON.stringify(additionalDirs) === JSON.stringify(before.permissions.additional_dirs)) return place;
  const path = place.ephemeral ? undefined : place.workspace;
  return parts.place({ id, path, additionalDirs, ...(child && { sharedWith: child.root.sessionId }) });
}
