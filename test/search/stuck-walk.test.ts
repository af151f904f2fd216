import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { CommandRunner } from '../../src/contract/index.ts';
import { startCommandRunner } from '../../src/sandbox/command-runner.ts';
import { toolHarness } from '../support/tool-harness.ts';
import Glob from '../../tools/glob/index.ts';
import Grep from '../../tools/grep/index.ts';
import { grepInput } from '../../tools/grep/input.ts';

/** Searches that would go on until their time is over fail their test before. */
const SOON = { timeout: 20_000 };

async function treeOf(t: TestContext) {
  const harness = await toolHarness(t);
  mkdirSync(join(harness.workspace, 'src/deep'), { recursive: true });
  writeFileSync(join(harness.workspace, 'src/deep/a.txt'), 'needle');
  const searches = (path = '.') => [
    harness.call(Grep, grepInput.parse({ pattern: 'needle', path })),
    harness.call(Grep, grepInput.parse({ pattern: 'needle', path, glob: '*.txt', output_mode: 'content' })),
    harness.call(Glob, { pattern: '**/*.txt', path }),
  ];
  return { ...harness, searches };
}

/** Runs programs with other arguments. */
function changed(t: TestContext, change: (line: string) => string): CommandRunner {
  const runner = startCommandRunner();
  t.after(() => runner.close());
  return { ...runner, exec: ({ args, ...request }) => runner.exec({ ...request, args: args.map(change) }) };
}

for (const [what, file, path] of [
  ['below the directory that is searched', 'src/deep/.gitignore', '.'],
  ['in a directory above it', '.ignore', 'src'],
  ['that names files to exclude in a repository', '.git/info/exclude', '.'],
] as const) {
  test(`A named pipe ${what} ends a search soon, and the answer names it`, SOON, async (t) => {
    const { workspace, searches } = await treeOf(t);
    mkdirSync(dirname(join(workspace, file)), { recursive: true });
    execFileSync('mkfifo', [join(workspace, file)]);
    for (const { result, text } of await Promise.all(searches(path))) {
      assert.equal(result.isError, true);
      assert.match(text, /^The search would never end: ".*" is a named pipe or a device, .*Remove it, or search another path\.$/);
      assert.ok(text.includes(file), text);
    }
  });
}

test('A link to a device that never ends does not fill the memory: the search ends soon, and the answer names it', SOON, async (t) => {
  const { workspace, searches } = await treeOf(t);
  symlinkSync('/dev/zero', join(workspace, 'src/.gitignore'));
  for (const { result, text } of await Promise.all(searches())) {
    assert.equal(result.isError, true);
    assert.match(text, /^The search would never end: "src\/\.gitignore"/);
  }
});

test('One that fills the memory before anybody looks is named all the same', SOON, async (t) => {
  const { workspace, ...harness } = await treeOf(t);
  symlinkSync('/dev/zero', join(workspace, '.gitignore'));
  const commands = changed(t, (line) => line.replace(/ulimit -v \d+/, 'ulimit -v 200000'));
  const { text } = await harness.call(Grep, grepInput.parse({ pattern: 'needle' }), { commands });
  assert.match(text, /^The search would never end: "\.gitignore"/);
});

test('A search that only takes long goes on, whatever other pipes there are', SOON, async (t) => {
  const harness = await treeOf(t);
  execFileSync('mkfifo', [join(harness.workspace, 'pipe')]);
  const slow = changed(t, (line) => line.replace('exec ', 'sleep 1.5; exec '));
  const input = grepInput.parse({ pattern: 'needle', output_mode: 'count' });
  const { text } = await harness.call(Grep, input, { commands: slow });
  assert.equal(text, 'Matching lines: 1. Files: 1.\nsrc/deep/a.txt:1');
});

test('A file that has to be held in memory as a whole is searched', SOON, async (t) => {
  const harness = await treeOf(t);
  writeFileSync(join(harness.workspace, 'line.txt'), Buffer.alloc(100_000_000, 'x'));
  const { text } = await harness.call(Grep, grepInput.parse({ pattern: 'x{5}', multiline: true, output_mode: 'count' }));
  assert.match(text, /^Matching lines: 1\. Files: 1\./);
});
