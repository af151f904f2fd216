import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import type { CallContext } from '../../src/contract/index.ts';
import { callsGit } from '../../src/shell/commands.ts';
import { READ_ONLY_GIT_ENVIRONMENT } from '../../src/shell/git-environment.ts';

/** Nothing of the service's own environment: it holds keys, and what npm adds to it. */
const BASE: Readonly<Record<string, string>> = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  SHELL: '/bin/bash',
  LANG: 'C.UTF-8',
  TERM: 'dumb',
  TMPDIR: '/tmp',
  USER: userName(),
};

/**
 * The home directory of a session's commands: private, beside its outputs, removed with it. Not the workspace, whose
 * `.gitconfig` and the like would then count as the user's own, and not the home of the service, which may hold keys.
 */
export function homeOf({ outputFile }: Pick<CallContext, 'outputFile'>): string {
  return join(dirname(outputFile), 'home');
}

/** The whole environment of a command. */
export function environmentFor(command: string, context: CallContext, readOnly: boolean): Record<string, string> {
  return {
    ...BASE,
    HOME: homeOf(context),
    ...context.env,
    ...(readOnly && callsGit(command) ? READ_ONLY_GIT_ENVIRONMENT : {}),
  };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that has no name.
    return 'user';
  }
}
