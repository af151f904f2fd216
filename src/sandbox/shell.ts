// How a line is handed to bash. The line is passed as it is, so that line numbers and error messages are the user's own;
// what must happen around it stands in a file that bash reads first.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const BASH_PATHS = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'];

// Descriptor 3 is moved out of the way of scripts that use 3 themselves. Errors are hidden: where the directory is gone, or
// the descriptor was closed, the answer is just "unknown". A script's own EXIT trap replaces this one, with the same answer.
const PRELUDE = `unset BASH_ENV
exec 19>&3 3>&-
trap '{ pwd -P >&19; } 2>/dev/null' EXIT
`;

export interface Shell {
  invocation(
    command: string,
    env: Readonly<Record<string, string>>,
  ): { file: string; args: string[]; env: Readonly<Record<string, string>> };
}

/** @param directory private directory of the helper. @throws Error when there is no bash or the directory cannot be written */
export function createShell(directory: string): Shell {
  const file = BASH_PATHS.find((path) => existsSync(path));
  if (file === undefined) throw new Error(`There is no bash: looked for ${BASH_PATHS.join(', ')}.`);
  const prelude = join(directory, 'prelude.sh');
  writeFileSync(prelude, PRELUDE, { mode: 0o600, flag: 'wx' });
  return {
    invocation: (command, env) => ({
      file,
      args: ['--norc', '--noprofile', '-c', '--', command],
      env: { ...env, BASH_ENV: prelude },
    }),
  };
}
