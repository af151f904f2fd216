import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { nameFilter } from '../../src/search/name-filter.ts';
import { listStage, matchStage, ripgrepPath } from '../../src/search/ripgrep.ts';
import { empty, writeTree } from './write-tree.ts';

const NAMES = [
  '.ts',
  'a.ts',
  'A.TS',
  'a.tsx',
  'a.ts.bak',
  'x.d.ts',
  'a..ts',
  '-a.ts',
  'new\nline.ts',
  'sp ace.ts',
  'ö.ts',
  'Makefile',
  '{a}.ts',
];
const IGNORED = ['node_modules/y.ts', 'z.log', '.git/q.ts'];
const GLOBS = [
  '*',
  '*.ts',
  '*.{ts,tsx}',
  '*.*',
  '.*',
  '*ts',
  'a*',
  '{a,x.d}.ts',
  'Make{file}',
  '-*',
  '*.log',
  '.ts',
  'a.*.*',
  'y.ts',
  'keep.log',
];

test('A glob that asks for names alone finds what it finds among whole paths, and no ignored file', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'toolexec-search-'));
  t.after(() => rmSync(root, { recursive: true }));
  const ignore = { '.gitignore': 'node_modules\n*.log\n!keep.log\n' };
  const files = [...NAMES, ...NAMES.map((name) => `.sub/dir/${name}`), 'keep.log', ...IGNORED];
  writeTree(root, { ...ignore, ...empty(...files) });
  const rg = await ripgrepPath();
  const run = ([file = '', ...args]: readonly string[], input = ''): string[] => {
    const { status, stdout } = spawnSync(file, args, { cwd: root, input, encoding: 'utf8' });
    // Ripgrep ends with 1 where it has found nothing.
    assert.ok(status === 0 || status === 1);
    return stdout.split('\0').slice(0, -1).toSorted();
  };
  const all = run(listStage(rg, { operand: './' }));
  assert.deepEqual(all, ['.gitignore', ...files.filter((path) => !IGNORED.includes(path))].map((path) => `./${path}`).toSorted());
  let found = 0;
  for (const glob of GLOBS) {
    const filters = nameFilter(`**/${glob}`);
    assert.ok(filters !== null, glob);
    const byName = run(listStage(rg, { operand: './', filters }));
    assert.deepEqual(byName, run(matchStage(rg, `**/${glob}`), all.map((path) => `${path}\0`).join('')), glob);
    found += byName.length;
  }
  assert.ok(found > 0);
});

test('A glob that asks for more than a name, or says it in a way of its own, is matched with whole paths', () => {
  for (const glob of [
    '**',
    'a/*.ts',
    '*.ts',
    '**/a/*.ts',
    '**/',
    '**/a?.ts',
    '**/[ab].ts',
    String.raw`**/\*.ts`,
    '**/a**b',
    '**/{a,{b,c}}',
    '**/{a,}',
    '**/{*,b}',
    '**/a:b',
    '**/a b',
  ]) {
    assert.equal(nameFilter(glob), null, glob);
  }
});
