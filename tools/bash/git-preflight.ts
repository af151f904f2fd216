// Before a line with git runs as one that only reads: a repository can name programs which git would start, and then the
// line does more than read. Whoever allowed it did not know, so that it is refused rather than run.
import type { CallContext } from '../../src/contract/index.ts';
import { GIT_PREFLIGHT, keysOfPrograms, needsGitPreflight } from '../../src/shell/git-preflight.ts';
import { preflightEnvironment } from './environment.ts';

const TIMEOUT_MS = 10_000;
const MAX_OUTPUT_BYTES = 64 * 1024;
const KEYS_SHOWN = 10;

/** Why a line that was judged to only read must not run as such; `null` when it may. */
export async function refusalOfGit({ command, cwd }: { command: string; cwd: string }, context: CallContext): Promise<string | null> {
  if (!needsGitPreflight(command)) return null;
  const { exitCode, stdout, truncated } = await context.commands.exec({
    ...GIT_PREFLIGHT,
    cwd,
    env: preflightEnvironment(context),
    timeoutMs: TIMEOUT_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    signal: context.signal,
  });
  const keys = keysOfPrograms(stdout);
  if (keys.length > 0) return refusal(`names programs or submodules that git would run or look into (${shown(keys)})`);
  if (exitCode !== 0 || truncated) return refusal('could not be read, so that it is not known which programs git would run');
  return null;
}

function shown(keys: readonly string[]): string {
  const more = keys.length - KEYS_SHOWN;
  return keys.slice(0, KEYS_SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function refusal(problem: string): string {
  return (
    `Not run: the line was judged to only read, but the git configuration of this repository ${problem}. ` +
    'Read the files without git, or write "git -c core.pager=cat" in place of "git": such a line does not count as reading, ' +
    'and needs the permission that a line which runs programs needs.'
  );
}
