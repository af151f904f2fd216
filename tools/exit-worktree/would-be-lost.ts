// What would be gone with a worktree and its branch, as git tells it. Nothing is changed by asking.
import type { CallContext } from '../../src/contract/index.ts';
import { BASE_ENVIRONMENT } from '../../src/shell/base-environment.ts';
import { READ_ONLY_GIT_ENVIRONMENT } from '../../src/shell/git-environment.ts';
import { homeOf } from '../../src/shell/session-command/environment.ts';
import type { Worktree } from '../../src/shell/worktrees.ts';

const TIMEOUT_MS = 60_000;
const MAX_OUTPUT_BYTES = 64 * 1024;
const SHOWN = 10;

/** A sentence for the model, or `null` when nothing would be. @throws Error when git cannot tell */
export async function wouldBeLost({ path, branch }: Worktree, context: CallContext): Promise<string | null> {
  const git = (...args: string[]) => askGit(args, path, context);
  const changes = (await git('status', '--porcelain')).split('\n').filter((line) => line !== '');
  if (changes.length > 0) return `The worktree has changes that are not committed: ${shown(changes)}.`;
  const own = await git('for-each-ref', '--format=%(refname)', `refs/heads/${branch}`);
  const elsewhere = ['--not', `--exclude=${branch}`, '--branches', '--remotes', '--tags'];
  const commits = await git(
    'log',
    '--format=%h %s',
    'HEAD',
    ...own.split('\n').filter((ref) => ref === `refs/heads/${branch}`),
    ...elsewhere,
  );
  const lines = commits.split('\n').filter((line) => line !== '');
  return lines.length === 0 ? null : `The worktree has commits that are nowhere else: ${shown(lines)}.`;
}

function shown(lines: readonly string[]): string {
  const more = lines.length - SHOWN;
  return (
    lines
      .slice(0, SHOWN)
      .map((line) => line.trim().slice(0, 200))
      .join(', ') + (more > 0 ? ` and ${more} more` : '')
  );
}

async function askGit(args: readonly string[], cwd: string, context: CallContext): Promise<string> {
  const { commands, signal } = context;
  const { exitCode, stdout, stderr } = await commands.exec({
    file: 'git',
    args,
    cwd,
    env: { ...BASE_ENVIRONMENT, HOME: homeOf(context), ...READ_ONLY_GIT_ENVIRONMENT, LC_ALL: 'C' },
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    signal,
  });
  // Where there is more than is kept, there is something.
  if (exitCode === 0 || stdout !== '') return stdout;
  throw new Error(
    `Git could not tell what would be lost: ${stderr.trim() || 'it did not say why'}. Nothing was removed: leave with action keep.`,
  );
}
