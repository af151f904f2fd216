import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diffView, fileDiff } from '../../../src/workspace/content/file-diff.ts';

test('a difference names the file and shows lines around the change', () => {
  assert.equal(
    fileDiff('src/a.ts', 'one\ntwo\nthree\n', 'one\n2\nthree\n'),
    '--- src/a.ts\n+++ src/a.ts\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n',
  );
});

test('a long difference is cut and says so', () => {
  const lines = Array.from({ length: 2000 }, (_, index) => `line number ${index}`).join('\n');
  const diff = fileDiff('a', '', lines) ?? '';
  assert.ok(diff.length < 21_000);
  assert.match(diff, /\n… the rest of the difference is not shown\n$/);
});

test('texts that are too large or too different are not compared to the end', () => {
  const words = (seed: number): string => Array.from({ length: 20_000 }, (_, index) => `${(index * seed) % 9973}`).join('\n');
  assert.equal(fileDiff('a', words(17), words(29)), null);
  assert.equal(fileDiff('a', 'x'.repeat(600_000), ''), null);
  assert.deepEqual(diffView('Edit a', 'a', null), { title: 'Edit a' });
});
