// Where worktrees of a session lie, and how git is run there: as a line of bash, as people and rules know it.
import { readFile, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { CallContext, PermissionContext } from '../contract/index.ts';
import { sessionEnvironment } from './session-command/environment.ts';
import { callFacts } from './session-command/running-command.ts';

/** One word for every shell, and a part of the name of a branch. */
export const WORKTREE_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const TIMEOUT_MS = 300_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;
const OUTPUT_CHARS = 2_000;

export interface Worktree {
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  readonly branch: string;
}

export function worktreeOf(name: string, workspace: string): Worktree {
  return { name, path: join(workspace, '.worktrees', name), branch: `worktree-${name}` };
}

/** The worktree that the session works in, if it does. */
export function currentWorktree({ state, workspace }: PermissionContext): Worktree | null {
  const [name = ''] = relative(join(workspace, '.worktrees'), state.cwd).split('/');
  return WORKTREE_NAME.test(name) ? worktreeOf(name, workspace) : null;
}

export function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The line as it runs in the workspace, wherever the session is. */
export function inWorkspace(line: string, { state, workspace }: PermissionContext): string {
  return state.cwd === workspace ? line : `cd ${quoted(workspace)} && ${line}`;
}

export interface LineResult {
  readonly ok: boolean;
  /** What it printed last. */
  readonly output: string;
}

/** Runs a line as Bash would, in the workspace. @throws Error when it did not come to its end */
export async function runLine(command: string, context: CallContext): Promise<LineResult> {
  const { commands, workspace, outputFile, signal } = context;
  try {
    const { exitCode, stopped, outputBytes } = await commands.run({
      ...callFacts(context),
      command,
      cwd: workspace,
      // Its messages are read, so that they are in one language.
      env: { ...sessionEnvironment(context), LC_ALL: 'C' },
      outputFile,
      timeoutMs: TIMEOUT_MS,
      maxOutputBytes: MAX_OUTPUT_BYTES,
      signal,
    });
    const output = (outputBytes === 0 ? '' : await readFile(outputFile, 'utf8')).trim().slice(-OUTPUT_CHARS);
    if (stopped !== null)
      throw new Error(`git was stopped (${stopped.replace('_', ' ')}) before it was done. It printed: ${output || 'nothing'}`);
    return { ok: exitCode === 0, output };
  } finally {
    await rm(outputFile, { force: true });
  }
}
