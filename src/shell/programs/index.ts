import type { Argument } from '../arguments.ts';
import { ARCHIVE_PROGRAMS } from './archives.ts';
import { AWK_PROGRAMS } from './awk.ts';
import { BUILTINS } from './builtins.ts';
import { DATE_PROGRAMS } from './date.ts';
import { FILE_PROGRAMS } from './files.ts';
import { FIND_PROGRAMS } from './find.ts';
import { GIT_PROGRAMS } from './git.ts';
import type { Judge, Programs } from './program.ts';
import { SEARCH_PROGRAMS } from './search.ts';
import { SED_PROGRAMS } from './sed.ts';
import { SYSTEM_PROGRAMS } from './system.ts';
import { TEST_PROGRAMS } from './bracket.ts';
import { TEXT_PROGRAMS } from './text.ts';
import { VERSION_PROGRAMS } from './versions.ts';
import { WRAPPERS } from './wrappers.ts';

const FAMILIES: readonly Programs[] = [
  VERSION_PROGRAMS,
  FILE_PROGRAMS,
  TEXT_PROGRAMS,
  SEARCH_PROGRAMS,
  FIND_PROGRAMS,
  SED_PROGRAMS,
  AWK_PROGRAMS,
  ARCHIVE_PROGRAMS,
  SYSTEM_PROGRAMS,
  DATE_PROGRAMS,
  TEST_PROGRAMS,
  BUILTINS,
  WRAPPERS,
  GIT_PROGRAMS,
];

/** The programs that are known to only read, each with its own judgement of its arguments. */
const PROGRAMS: ReadonlyMap<string, Judge> = new Map(FAMILIES.flatMap((family) => Object.entries(family)));

/** Accepted as the first word of a command alone: others look for them there, to see what a line sets or where it goes. */
export const ONLY_BY_NAME: ReadonlySet<string> = new Set(['git', 'cd', 'pushd', 'popd', 'read', 'mapfile', 'readarray', 'set', 'shopt']);

/** Wrappers in wrappers past which nothing is understood. */
const MAX_WRAPPERS = 8;

/** Whether this program only reads when it is called with these arguments. */
export function isReadingProgram(name: string, given: readonly Argument[], wrappers = 0): boolean {
  const judgeCommand = ([inner, ...words]: readonly Argument[]): boolean =>
    wrappers < MAX_WRAPPERS &&
    inner?.kind === 'literal' &&
    !ONLY_BY_NAME.has(inner.text) &&
    isReadingProgram(inner.text, words, wrappers + 1);
  return PROGRAMS.get(name)?.(given, judgeCommand) ?? false;
}
