// With `schedule: "dependencies"` a search waits for whatever changes what it finds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PermissionContext, Tool } from '../../src/contract/index.ts';
import { conflict, type Touched } from '../../src/engine/schedule/footprint.ts';
import { searchedPaths } from '../../src/search/ignore-files.ts';
import Glob from '../../tools/glob/index.ts';
import Grep from '../../tools/grep/index.ts';

const context = { state: { cwd: '/w' } } as PermissionContext;
const waitsFor = (search: Touched, path: string): boolean => conflict({ writes: [path] }, search);

for (const tool of [Glob, Grep] as unknown as Tool[]) {
  test(`${tool.name} waits for writes below its directory and of files above it that say what is left out, and for no others`, () => {
    const search = tool.footprint?.({ pattern: '*.log', path: '/w/src/inner' }, context) ?? {};
    for (const path of ['/w/src/inner/a.log', '/w/.gitignore', '/w/src/.ignore', '/.rgignore', '/w/.git/info/exclude', '/w/src'])
      assert.equal(waitsFor(search, path), true, path);
    for (const path of ['/w/a.log', '/w/src/other/.gitignore', '/w/.gitignore.txt']) assert.equal(waitsFor(search, path), false, path);
  });
}

test('a search so deep that all above it would be too much waits for every write', () => {
  assert.equal(waitsFor({ reads: searchedPaths(`/w${'/a'.repeat(2_000)}`) }, '/elsewhere'), true);
});
