// How a line is handed to bash. The line is passed as it is, so that line numbers and error messages are the user's own;
// what must happen around it stands in a file that bash reads first.
import { existsSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Enclosure, RunOrder } from '../messages.ts';

const BASH_PATHS = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'];

// Descriptor 3 is moved out of the way of scripts that use 3 themselves, and 4 is this text, which no line may reach. The
// first line break tells that all is set up. Errors at the end are hidden: where the directory is gone, or the descriptor was
// closed, the answer is just "unknown". A script's own EXIT trap replaces this one, with the same answer.
// The bridge is not this shell's child, so that a line's \`wait\` does not wait for it.
const PRELUDE = `unset BASH_ENV
exec 19>&3 3>&- 4>&-
if [[ -v TOOLEXEC_BRIDGE ]]; then
  read -r REPLY < <( ( $TOOLEXEC_BRIDGE & ) ) || exit 1
  unset TOOLEXEC_BRIDGE REPLY
fi
if [[ -v TOOLEXEC_LIMITS ]]; then
  ulimit $TOOLEXEC_LIMITS || exit 1
  unset TOOLEXEC_LIMITS
fi
echo >&19
trap '{ echo -n "$? " >&19; pwd -P >&19; } 2>/dev/null' EXIT
`;

export interface Invocation {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

type Line = Pick<RunOrder, 'command' | 'env'>;

export interface Shell {
  /** A descriptor that must be number 4 of an enclosed shell, which cannot see the file. */
  readonly prelude: number;
  /** The shell must get the writing end of a pipe as its descriptor 3. */
  invocation(line: Line): Invocation;
  /** The same behind a program that passes the descriptors on. It may tell of itself through 5, and closes that. */
  enclosed(line: Line, enclosure: Enclosure): Invocation;
}

/** @param directory private directory of the helper. @throws Error when there is no bash or the directory cannot be written */
export function createShell(directory: string): Shell {
  const file = BASH_PATHS.find((path) => existsSync(path));
  if (file === undefined) throw new Error(`There is no bash: looked for ${BASH_PATHS.join(', ')}.`);
  const prelude = join(directory, 'prelude.sh');
  writeFileSync(prelude, PRELUDE, { mode: 0o400, flag: 'wx' });
  const argsFor = (command: string): string[] => ['--norc', '--noprofile', '-c', '--', command];
  return {
    prelude: openSync(prelude, 'r'),
    invocation: ({ command, env }) => ({ file, args: argsFor(command), env: { ...plain(env), BASH_ENV: prelude } }),
    enclosed: ({ command, env }, enclosure) => ({
      file: enclosure.file,
      args: [...enclosure.args, '--', file, ...argsFor(command)],
      env: { ...plain(env), ...enclosure.shellEnv, BASH_ENV: '/proc/self/fd/4' },
    }),
  };
}

/** Without what the prelude obeys: only who encloses the shell may say that. */
export function plain(env: Readonly<Record<string, string>>): Record<string, string> {
  const { TOOLEXEC_BRIDGE: _bridge, TOOLEXEC_LIMITS: _limits, ...rest } = env;
  return rest;
}
