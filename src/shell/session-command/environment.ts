import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { atOneMoment, type CallContext } from '../../contract/index.ts';
import { BASE_ENVIRONMENT, USER_NAME } from '../base-environment.ts';

/** What every command gets unless its session says otherwise. */
export const COMMAND_ENVIRONMENT: Readonly<Record<string, string>> = {
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

const made = atOneMoment<unknown>();

export async function makeHome(context: CallContext): Promise<void> {
  const home = homeOf(context);
  await made(home, () => mkdir(home, { recursive: true, mode: 0o700 }));
}

/** The whole environment of a command of the session. */
export function sessionEnvironment(context: CallContext): Record<string, string> {
  return { ...COMMAND_ENVIRONMENT, HOME: homeOf(context), ...context.env };
}
