import assert from 'node:assert/strict';
import { test } from 'node:test';
import bash from '../../tools/bash/index.ts';
import read from '../../tools/read/index.ts';
import type { Tool } from '../../src/contract/index.ts';
import { createRuleMatcher } from '../../src/permissions/rules/rule-matcher.ts';
import { createCommandReader } from '../../src/shell/command-parts.ts';
import { ground } from './decide.ts';
import { realPath } from '../../src/workspace/resolve-real.ts';

const { workspace, home, dataDir } = await ground();
const matchesRule = createRuleMatcher({
  canonicalName: (name) => name,
  commands: createCommandReader(() => false),
  realPath,
  home,
  dataDir,
});

function matches(rule: string, tool: unknown, input: unknown): Promise<boolean> {
  const state = { cwd: workspace, mode: 'default', todos: [], loadedTools: [] } as const;
  return matchesRule(rule, { toolUseId: 'toolu_1', tool: tool as Tool, input }, { sessionId: 'ses_1', workspace, env: {}, state });
}

test('one rule tells which calls are meant, as a rule that asks would', async () => {
  assert.equal(await matches('Bash(git push:*)', bash, { command: 'ls && timeout 5 git push' }), true);
  assert.equal(await matches('Bash(git push:*)', bash, { command: 'git pull' }), false);
  assert.equal(await matches('Read(src/**)', read, { file_path: `${workspace}/src/a.ts` }), true);
  assert.equal(await matches('Read(src/**)', read, { file_path: `${workspace}/a.txt` }), false);
  assert.equal(await matches('Read(src/**)', bash, { command: 'cat src/a.ts' }), true);
  assert.equal(await matches('Read', bash, { command: 'cat src/a.ts' }), false);
  assert.equal(await matches('Edit', bash, { command: 'echo x > a.txt' }), true);
  assert.equal(await matches('Edit', bash, { command: 'cat src/a.ts' }), false);
});

test('a call that cannot be told counts as meant, and a text that is no rule is refused', async () => {
  assert.equal(await matches('Bash(git push:*)', bash, { command: '$x push' }), true);
  assert.equal(await matches('Bash(git push:*)', bash, { command: 'echo "' }), true);
  await assert.rejects(matches('Bash(', bash, { command: 'ls' }), /write the name of a tool/);
});
