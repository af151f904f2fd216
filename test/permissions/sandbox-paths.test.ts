import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { sandboxPaths, type SandboxPaths } from '../../src/permissions/sandbox-paths.ts';
import { ground } from './decide.ts';
import { NO_RULES, realPath } from './test-policy.ts';

const { root, workspace, home } = await ground();
await mkdir(join(workspace, 'deep/er'), { recursive: true });
for (const file of ['deep/er/.env', 'deep/key.pem', 'key.pem']) await writeFile(join(workspace, file), 'x');
await symlink(join(home, '.ssh/id'), join(workspace, 'id.pem'));
const PROTECTED = ['.claude', '.git/config', '.git/hooks', '.mcp.json', '.toolexec', '.vscode'].map((name) => join(workspace, name));

function found(deny: string[], operator: { deny?: string[]; source?: string } = {}): Promise<SandboxPaths> {
  const scope = { workspace, readable: [workspace], writable: [workspace], home };
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
