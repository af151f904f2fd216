import { dirname, join } from 'node:path';
import type { CallContext } from '../../src/contract/index.ts';
import { BASE_ENVIRONMENT, USER_NAME } from '../../src/shell/base-environment.ts';
import { callsGit } from '../../src/shell/commands.ts';
import { READ_ONLY_GIT_ENVIRONMENT } from '../../src/shell/git-environment.ts';

const BASE: Readonly<Record<string, string>> = {
  ...BASE_ENVIRONMENT,
  SHELL: '/bin/bash',
  TERM: 'dumb',
  // By which git names an author where nothing else says who it is.
  EMAIL: `${USER_NAME}@localhost`,
};

/**
 * The home directory of a session's commands: private, beside its outputs, removed with it. Not the workspace, whose
 * `.gitconfig` and the like would then count as the user's own, and not the home of the service, which may hold keys.
 */
export function homeOf({ outputFile }: Pick<CallContext, 'outputFile'>): string {
  return join(dirname(outputFile), 'home');
}

/** The whole environment of a command. @param readOnly whether it was judged to only read */
export function environmentFor(command: string, context: CallContext, readOnly: boolean): Record<string, string> {
  const env = { ...BASE, HOME: homeOf(context), ...context.env };
  return readOnly && callsGit(command) ? hardened(env) : env;
}

/**
 * What the service's own git gets that looks at a repository before a command does. Of the session's variables only those
 * by which git finds the user's configuration: `PATH` or `BASH_ENV`, for two, would choose what runs.
 */
export function preflightEnvironment(context: CallContext): Record<string, string> {
  const { HOME = homeOf(context), XDG_CONFIG_HOME } = context.env;
  return { ...BASE, HOME, ...(XDG_CONFIG_HOME === undefined ? {} : { XDG_CONFIG_HOME }), ...READ_ONLY_GIT_ENVIRONMENT };
}

/** Variables of git's name programs too, and files that it writes. */
function hardened(env: Readonly<Record<string, string>>): Record<string, string> {
  const others = Object.entries(env).filter(([name]) => !name.startsWith('GIT_'));
  return { ...Object.fromEntries(others), ...READ_ONLY_GIT_ENVIRONMENT };
}
