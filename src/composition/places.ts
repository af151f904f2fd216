// Where sessions are on disk, with the skills that their model may use there.
import type { Config } from '../config.ts';
import type { SkillSummary, Report } from '../contract/index.ts';
import type { PlaceOrder, SessionPlace } from '../sessions/session-parts.ts';
import { readSkills } from '../skills/read-skills.ts';
import { createPlaces } from '../workspace/places.ts';

export interface PlacesOptions {
  readonly config: Pick<Config, 'dataDir' | 'workspaceRoots' | 'skillsDir' | 'secretFiles' | 'limits'>;
  readonly report: Report;
}

/** Different messages about skills that are left out. */
const MOST_TOLD = 1_000;

/** @returns a function that opens or makes the directories of a session; it throws Problem `forbidden` or `invalid-request` */
export function joinPlaces({ config, report }: PlacesOptions): (order: PlaceOrder) => Promise<SessionPlace> {
  const { dataDir, workspaceRoots: roots, skillsDir, secretFiles, limits } = config;
  /** What was said of skills that are left out: each session reads them again. */
  const told = new Set<string>();
  const tell = (message: string): void => {
    if (!told.has(message) && told.size < MOST_TOLD) report(message, undefined);
    told.add(message);
  };
  const open = createPlaces({
    dataDir,
    roots,
    workspaceBytes: limits.workspace_bytes,
    secretFiles,
    // The model reads what lies in a skill's folder when it needs it.
    readable: skillsDir === undefined ? [] : [skillsDir],
  });
  return async (order) => {
    const place = await open(order);
    const skills = await readSkills({
      workspace: place.workspace,
      ...(skillsDir !== undefined && { operator: skillsDir }),
      report: tell,
    });
    return { ...place, skills };
  };
}

/** The skills that every session has, wherever it works. */
export async function operatorSkills({ skillsDir }: Pick<Config, 'skillsDir'>, report: Report): Promise<readonly SkillSummary[]> {
  if (skillsDir === undefined) return [];
  return (await readSkills({ operator: skillsDir, report: (message) => report(message, undefined) })).list();
}
