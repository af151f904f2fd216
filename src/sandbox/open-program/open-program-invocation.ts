// How a program that runs for long is called: as it is, or in its sandbox, where a shell of one line sets up the way out and
// the limits, and then becomes the program.
import type { Enclosure } from '../messages.ts';
import { plain, type Invocation } from '../supervisor/shell.ts';

export interface LongProgramRequest {
  /** A path, or a name that is looked up in the PATH of `env`. */
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute path. */
  readonly cwd: string;
  /** The whole environment of the program: nothing of the service's own is added. */
  readonly env: Readonly<Record<string, string>>;
  readonly enclosure?: Enclosure;
}

/** The bridge is not the program's child, and has none of its streams. */
const SET_UP = [
  'if [[ -v TOOLEXEC_BRIDGE ]]; then read -r REPLY < <( ( $TOOLEXEC_BRIDGE </dev/null & ) ) || exit 1; fi',
  'if [[ -v TOOLEXEC_LIMITS ]]; then ulimit $TOOLEXEC_LIMITS || exit 1; fi',
  'unset TOOLEXEC_BRIDGE TOOLEXEC_LIMITS REPLY',
  'exec -- "$0" "$@"',
].join('; ');

export function invocationOf({ command, args, env, enclosure }: Omit<LongProgramRequest, 'cwd'>): Invocation {
  if (enclosure === undefined) return { file: command, args, env };
  return {
    file: enclosure.file,
    args: [...enclosure.args, '--', '/bin/bash', '--norc', '--noprofile', '-c', SET_UP, command, ...args],
    env: { ...plain(env), ...enclosure.shellEnv },
  };
}
