import { FILE_PROGRAMS } from './files.ts';
import { GIT_PROGRAMS } from './git.ts';
import type { Judge } from './program.ts';
import { SEARCH_PROGRAMS } from './search.ts';
import { SHELL_BUILTINS } from './shell-builtins.ts';
import { TEXT_PROGRAMS } from './text.ts';

/** The programs that are known to only read, each with its own judgement of its arguments. */
export const PROGRAMS: ReadonlyMap<string, Judge> = new Map(
  [FILE_PROGRAMS, TEXT_PROGRAMS, SEARCH_PROGRAMS, SHELL_BUILTINS, GIT_PROGRAMS].flatMap((family) => Object.entries(family)),
);
