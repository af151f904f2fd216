// Where sessions are on disk, with the skills that their model may use there.
import type { Config } from '../config.ts';
import type { PlaceOrder, Report, SessionPlace } from '../sessions/session-parts.ts';
import { createPlaces } from '../workspace/places.ts';

export interface PlacesOptions {
  readonly config: Pick<Config, 'dataDir' | 'workspaceRoots' | 'skillsDir' | 'limits'>;
  readonly report: Report;
}

/** @returns a function that opens or makes the directories of a session; it throws Problem `forbidden` or `invalid-request` */
export function joinPlaces({ config }: PlacesOptions): (order: PlaceOrder) => Promise<SessionPlace> {
  const { dataDir, workspaceRoots: roots, skillsDir } = config;
  const open = createPlaces({
    dataDir,
    roots,
    // The model reads what lies in a skill's folder when it needs it.
    readable: skillsDir === undefined ? [] : [skillsDir],
  });
  return async (order) => {
    const place = await open(order);
    return { ...place, skills: { list: () => [], load: () => Promise.reject(new Error('There are no skills.')) } };
  };
}
