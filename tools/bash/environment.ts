import type { CallContext } from '../../src/contract/index.ts';
import { callsGit } from '../../src/shell/commands.ts';
import { READ_ONLY_GIT_ENVIRONMENT } from '../../src/shell/git-environment.ts';
import { COMMAND_ENVIRONMENT, homeOf, sessionEnvironment } from '../../src/shell/session-command/environment.ts';

/** The whole environment of a command. @param readOnly whether it was judged to only read */
export function environmentFor(command: string, context: CallContext, readOnly: boolean): Record<string, string> {
  const env = sessionEnvironment(context);
  return readOnly && callsGit(command) ? hardened(env) : env;
}

/**
 * What the service's own git gets that looks at a repository before a command does. Of the session's variables only those
 * by which git finds the user's configuration: `PATH` or `BASH_ENV`, for two, would choose what runs.
 */
export function preflightEnvironment(context: CallContext): Record<string, string> {
  const { HOME = homeOf(context), XDG_CONFIG_HOME } = context.env;
  return { ...COMMAND_ENVIRONMENT, HOME, ...(XDG_CONFIG_HOME === undefined ? {} : { XDG_CONFIG_HOME }), ...READ_ONLY_GIT_ENVIRONMENT };
}

/** Variables of git's name programs too, and files that it writes. */
function hardened(env: Readonly<Record<string, string>>): Record<string, string> {
  const others = Object.entries(env).filter(([name]) => !name.startsWith('GIT_'));
  return { ...Object.fromEntries(others), ...READ_ONLY_GIT_ENVIRONMENT };
}
