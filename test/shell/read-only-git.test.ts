import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callsGit } from '../../src/shell/commands.ts';
import { needsGitPreflight } from '../../src/shell/git-preflight.ts';
import { isReadOnlyCommand } from '../../src/shell/read-only.ts';

function reads(...lines: string[]): void {
  for (const line of lines) assert.equal(isReadOnlyCommand(`git ${line}`), true, line);
}

function mayWrite(...lines: string[]): void {
  for (const line of lines) assert.equal(isReadOnlyCommand(`git ${line}`), false, line);
}

test('git only reads when it shows history, differences and files', () => {
  reads(
    'status -sb',
    'log --oneline -5 -- src',
    'show HEAD:a',
    'diff --stat HEAD~1',
    'blame -w a',
    'grep -n x -- src',
    'ls-files -m',
    'ls-tree -r HEAD',
  );
  reads(
    'shortlog -sn',
    'rev-parse --show-toplevel',
    'describe --tags',
    'cat-file -p HEAD',
    'rev-list --count HEAD',
    'stash list',
    'reflog',
    'apply --check x',
  );
  reads(
    '--version',
    '--no-pager log -1',
    'worktree list',
    'remote -v',
    'remote get-url origin',
    'symbolic-ref HEAD',
    'config --get a.b',
    'config a.b',
    'var -l',
  );
});

test('git lists branches and tags, and makes none', () => {
  reads(
    'branch',
    'branch -a',
    'branch --list x',
    'branch --contains HEAD',
    'branch --merged',
    'tag',
    'tag -l "v*"',
    'tag -n3',
    'tag --sort=-creatordate',
  );
  mayWrite(
    'branch x',
    'branch -v x',
    'branch -d x',
    'branch --list -D x',
    'branch "$x"',
    'tag x',
    'tag -d x',
    'tag -s x',
    'tag -v x',
    'branch --sort=a x',
  );
});

test('git may write, run or ask the network with any other sub-command or option', () => {
  mayWrite(
    'push',
    'fetch',
    'stash',
    'stash pop',
    'reflog expire --all',
    'reflog show expire',
    'remote update',
    'remote -v update',
    'remote show origin',
    'worktree add x',
  );
  mayWrite(
    'config a.b c',
    'config a.b c --get',
    'config --unset a.b',
    'config edit',
    'config -e',
    'symbolic-ref HEAD x',
    'apply x',
    'apply --check --index x',
    'notes add',
  );
  mayWrite(
    'log --output=x',
    'diff --ext-diff',
    'show --textconv',
    'grep -O x',
    'grep --open-files-in-pager x',
    'describe --dirty',
    'cat-file --filters HEAD:a',
    'archive HEAD',
  );
  mayWrite(
    'diff --submodule=diff',
    'status --ignore-submodules=none',
    'grep --recurse-submodules x',
    'log --show-signature',
    'fsck --lost-found',
    'help -w log',
    'log --help',
  );
  mayWrite(
    '-C x status',
    '-c a=b status',
    '--git-dir=x log',
    '--exec-path=x log',
    '-p log',
    'unknown',
    'hash-object a',
    'ls-remote',
    'submodule status',
  );
});

test('a repository is asked before what may start programs that it names, and only then', () => {
  for (const line of ['git status', 'ls && git --no-pager log', 'echo "$(git diff)"']) assert.equal(needsGitPreflight(line), true, line);
  for (const line of ['ls', 'git branch -a', 'git rev-parse HEAD', 'git --version', 'git -P config -l'])
    assert.equal(needsGitPreflight(line), false, line);
});

test('git is found wherever in a line it may run', () => {
  for (const place of [
    'x=$(git diff)',
    'echo ${x:-$(git diff)}',
    'echo ${x/$(git diff)/y}',
    'cat <<E\n$(git diff)\nE',
    'cat <<< "$(git diff)"',
    'for f in $(git diff); do ls; done',
    'case $(git diff) in a) ls;; esac',
    'case a in $(git diff)) ls;; esac',
    '[[ -n $(git diff) ]]',
    'wc < <(git diff)',
    'echo "`git diff`"',
    'echo `echo \\`git diff\\``',
    'echo {$(git diff),b}',
    'echo a[$(git diff)]b',
    'if ! time git diff; then ls; fi',
    'echo "${x%"$(git diff)"}"',
  ]) {
    if (isReadOnlyCommand(place)) assert.ok(needsGitPreflight(place) && callsGit(place), place);
    assert.equal(isReadOnlyCommand(`cd x; ${place}`), false, place);
  }
});
