import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { toolHarness, type ToolHarness } from '../../test/support/tool-harness.ts';
import ExitWorktree from './index.ts';
import { toolSuite } from '../../test/suites/tool.ts';

const NO_SETTINGS = { PATH: '/usr/bin:/bin', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };

interface Project extends ToolHarness {
  /** The worktree that the session is in. */
  readonly tree: string;
  readonly git: (...args: string[]) => string;
  readonly inTree: (...args: string[]) => string;
}

/** A session in a worktree that git has made. */
async function project(t: TestContext): Promise<Project> {
  return furnish(await toolHarness(t));
}

async function furnish(harness: ToolHarness): Promise<Project> {
  const { workspace } = harness;
  const tree = join(workspace, '.worktrees/x');
  const gitAt =
    (cwd: string) =>
    (...args: string[]) =>
      execFileSync('git', args, { cwd, env: NO_SETTINGS, encoding: 'utf8', stdio: 'pipe' });
  const git = gitAt(workspace);
  git('init', '-q', '-b', 'main');
  for (const name of ['name', 'email']) git('config', `user.${name}`, 'somebody@localhost');
  await writeFile(join(workspace, '.gitignore'), 'ignored\n');
  git('add', '.gitignore');
  git('commit', '-q', '-m', 'first');
  git('worktree', 'add', '-q', '-b', 'worktree-x', tree);
  await mkdir(join(tree, 'src'));
  harness.state = { ...harness.state, cwd: join(tree, 'src') };
  return Object.assign(harness, { tree, git, inTree: gitAt(tree) });
}

describe('leaving a worktree', () => {
  test('goes back to the workspace and keeps everything', async (t) => {
    const harness = await project(t);
    const { tree, git, workspace } = harness;
    await writeFile(join(tree, 'new'), 'x');
    const { text } = await harness.call(ExitWorktree, { action: 'keep' });
    assert.match(text, /^The working directory is .* again\. .*\/x and the branch worktree-x are kept\.$/);
    assert.equal(harness.state.cwd, workspace);
    assert.ok(existsSync(join(tree, 'new')));
    assert.match(git('branch', '--list', 'worktree-x'), /worktree-x/);
  });

  test('removes it with its branch when nothing would be lost', async (t) => {
    const harness = await project(t);
    await writeFile(join(harness.tree, 'ignored'), 'x');
    harness.inTree('commit', '-q', '--allow-empty', '-m', 'second');
    harness.git('branch', 'other', 'worktree-x');
    const { text } = await harness.call(ExitWorktree, { action: 'remove' });
    assert.match(text, /are removed\.$/);
    assert.equal(harness.state.cwd, harness.workspace);
    assert.ok(!existsSync(harness.tree));
    assert.equal(harness.git('branch', '--list', 'worktree-x'), '');
    assert.equal(harness.git('worktree', 'list').trim().split('\n').length, 1);
  });

  test('refuses to lose changes, files and commits, and loses them when it is told to', async (t) => {
    const harness = await project(t);
    const { tree, inTree } = harness;
    const refused = (expected: RegExp) => assert.rejects(harness.call(ExitWorktree, { action: 'remove' }), expected);
    await writeFile(join(tree, 'new'), 'x');
    await refused(/has changes that are not committed: \?\? new\. Nothing was removed/);
    inTree('add', 'new');
    await refused(/has changes that are not committed: A {2}new\./);
    inTree('commit', '-q', '-m', 'second');
    await refused(/has commits that are nowhere else: \w+ second\./);
    inTree('checkout', '-q', '--detach');
    await refused(/nowhere else: \w+ second\./);
    inTree('checkout', '-q', '-b', 'elsewhere', 'main');
    await refused(/nowhere else: \w+ second\./);
    inTree('tag', 'kept', 'worktree-x');
    inTree('commit', '-q', '--allow-empty', '-m', 'on a branch that stays');
    inTree('checkout', '-q', '--detach');
    inTree('commit', '-q', '--allow-empty', '-m', 'third');
    await refused(/nowhere else: \w+ third\./);
    assert.ok(existsSync(tree));
    await writeFile(join(tree, 'changed'), 'x');
    await harness.call(ExitWorktree, { action: 'remove', discard_changes: true });
    assert.ok(!existsSync(tree));
    assert.equal(harness.state.cwd, harness.workspace);
  });

  test('says when it is no longer there, and leaves by keeping', async (t) => {
    const harness = await project(t);
    await rm(harness.tree, { recursive: true });
    await assert.rejects(harness.call(ExitWorktree, { action: 'remove' }), /\S/);
    await harness.call(ExitWorktree, { action: 'keep' });
    assert.equal(harness.state.cwd, harness.workspace);
  });

  test('is told to go on without the branch when that is gone already', async (t) => {
    const harness = await project(t);
    harness.inTree('checkout', '-q', '--detach');
    harness.git('branch', '-q', '-D', 'worktree-x');
    const { text } = await harness.call(ExitWorktree, { action: 'remove' });
    assert.match(text, /is removed, but not the branch worktree-x: error: branch 'worktree-x' not found/);
    assert.equal(harness.state.cwd, harness.workspace);
  });

  test('is an error elsewhere', async (t) => {
    const harness = await project(t);
    for (const cwd of ['', '.worktrees', 'src', '.worktrees/.hidden']) {
      harness.state = { ...harness.state, cwd: join(harness.workspace, cwd) };
      await assert.rejects(harness.call(ExitWorktree, { action: 'remove' }), /The session is in no worktree/, cwd);
    }
  });
});

test('keeping a worktree touches nothing, and removing one is the line that runs', () => {
  const context = {
    sessionId: 'ses_1',
    workspace: '/w',
    env: {},
    state: { cwd: '/w/.worktrees/a/src', mode: 'default', todos: [], loadedTools: [] },
  } as const;
  assert.deepEqual(ExitWorktree.permissionSubjects({ action: 'keep' }, context), []);
  assert.deepEqual(ExitWorktree.permissionSubjects({ action: 'remove' }, context), [
    { kind: 'command', command: "cd '/w' && git worktree remove '/w/.worktrees/a' && git branch -D worktree-a" },
  ]);
  assert.deepEqual(ExitWorktree.permissionSubjects({ action: 'remove', discard_changes: true }, context), [
    { kind: 'command', command: "cd '/w' && git worktree remove --force '/w/.worktrees/a' && git branch -D worktree-a" },
  ]);
});

toolSuite({ tool: ExitWorktree, input: { action: 'keep' }, furnish });
