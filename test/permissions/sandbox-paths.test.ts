import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { findRepositories } from '../../src/permissions/repositories.ts';
import { sandboxPaths, type SandboxPaths } from '../../src/permissions/sandbox-paths.ts';
import { ground } from './decide.ts';
import { NO_RULES } from './test-policy.ts';
import { realPath } from '../../src/workspace/resolve-real.ts';

const { root, workspace, home } = await ground();
await mkdir(join(workspace, 'deep/er'), { recursive: true });
for (const file of ['deep/er/.env', 'deep/key.pem', 'key.pem']) await writeFile(join(workspace, file), 'x');
await symlink(join(home, '.ssh/id'), join(workspace, 'id.pem'));
const PROTECTED = ['.claude', '.git/config', '.git/hooks', '.husky', '.idea', '.mcp.json', '.toolexec', '.vscode'].map((name) =>
  join(workspace, name),
);

function found(deny: string[], operator: { deny?: string[]; source?: string } = {}, at = workspace): Promise<SandboxPaths> {
  const scope = { workspace: at, readable: [at], writable: [at], home };
  return sandboxPaths({
    session: { ...NO_RULES, deny },
    operator: { ...NO_RULES, ...operator },
    canonicalName: (name) => name,
    scope,
    realPath,
  });
}

const inWorkspace = (...names: string[]): string[] => names.map((name) => join(workspace, name));

describe('what a sandbox keeps commands from', () => {
  test('is always the protected files at the top, also those that do not exist yet', async () => {
    assert.deepEqual(await found([]), { masked: [], readOnly: PROTECTED, complete: true });
  });

  test('is every other protected file that is there, and what names programs in each repository', async () => {
    const at = join(root, 'project');
    const repository = ['commondir', 'config', 'hooks'];
    for (const directory of ['.git/modules/lib/x', '.git/worktrees/two', 'deep/er/.git', 'node_modules/x/.git'])
      await mkdir(join(at, directory), { recursive: true });
    for (const file of [
      '.bashrc',
      '.envrc',
      '.gitmodules',
      'two/.git',
      '.git/modules/lib/x/HEAD',
      '.git/worktrees/two/HEAD',
      'src/.netrc',
    ]) {
      await mkdir(dirname(join(at, file)), { recursive: true });
      await writeFile(join(at, file), 'x');
    }
    await writeFile(join(at, '.git/config'), '[extensions]\n\tworktreeConfig = true\n');
    await symlink('.bashrc', join(at, '.profile'));
    await symlink(join(at, '.git'), join(at, 'src/.git'));
    const expected = [
      ...PROTECTED.map((path) => path.slice(workspace.length + 1)),
      '.bashrc',
      '.envrc',
      '.gitmodules',
      'two/.git',
      '.git/config.worktree',
      ...['.git', '.git/modules/lib/x', 'deep/er/.git'].flatMap((each) => repository.map((name) => join(each, name))),
      ...['commondir', 'gitdir'].map((name) => join('.git/worktrees/two', name)),
    ];
    const { readOnly } = await found([], {}, at);
    assert.deepEqual(readOnly, [...new Set(expected.map((name) => join(at, name)))].toSorted());
  });

  test('are the repositories that were there first, when they are known', async () => {
    const scope = { workspace: root, readable: [root], writable: [root], home };
    await mkdir(join(root, 'first/.git'), { recursive: true });
    const repositories = await findRepositories([root]);
    await mkdir(join(root, 'second/.git'), { recursive: true });
    const rules = { session: NO_RULES, operator: NO_RULES, canonicalName: (name: string) => name };
    const { readOnly } = await sandboxPaths({ ...rules, scope, realPath, repositories });
    assert.ok(readOnly.includes(join(root, 'first/.git/config')));
    assert.ok(!readOnly.includes(join(root, 'second/.git/config')));
  });

  test('is each file that a pattern denies, and the place of one that is not there yet', async () => {
    assert.deepEqual((await found(['Read(.env)'])).masked, inWorkspace('.env', 'deep/er/.env'));
    assert.deepEqual((await found(['Read(./gone/x)'])).masked, inWorkspace('gone/x'));
    assert.deepEqual((await found(['Read(/src/**)', 'Read(src/gen/b.ts)'])).masked, inWorkspace('src'), 'what lies inside goes with it');
    assert.deepEqual((await found(['Read(deep/*.pem)'])).masked, inWorkspace('deep/key.pem'));
    assert.deepEqual((await found(['Read(~/.ssh/**)'])).masked, [join(home, '.ssh')]);
    assert.deepEqual((await found([`Read(/${root}/other/*)`])).masked, [join(root, 'other/c.txt')]);
    assert.deepEqual((await found([], { deny: ['Read(/x)'], source: '/settings' })).masked, ['/settings/x']);
  });

  test('is what a denied link leads to', async () => {
    assert.deepEqual((await found(['Read(*.pem)'])).masked, [join(home, '.ssh/id'), ...inWorkspace('deep/key.pem', 'key.pem')].toSorted());
  });

  test('is read-only where only edits are denied', async () => {
    const { masked, readOnly } = await found(['Edit(/src/gen/**)', 'Edit(.env)', 'Read(./.env)']);
    assert.deepEqual(masked, inWorkspace('.env'));
    assert.deepEqual(readOnly, [...PROTECTED, ...inWorkspace('deep/er/.env', 'src/gen')].toSorted());
  });

  test('is nothing for rules without a path, or that do not deny', async () => {
    assert.deepEqual((await found(['Read', 'Bash(cat:*)', 'WebFetch'])).masked, []);
  });

  test('is told to be incomplete when there is too much to look through', async () => {
    const rules = Array.from({ length: 400 }, (_, index) => `Read(/usr/**/x${index}*y)`.replace('(/', '(//'));
    assert.equal((await found(rules)).complete, false);
  });
});
