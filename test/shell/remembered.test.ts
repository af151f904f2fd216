import assert from 'node:assert/strict';
import { test } from 'node:test';
import { remembered } from '../../src/shell/remembered.ts';

test('a line is read once, and lines asked long ago are forgotten', () => {
  const asked: string[] = [];
  const lengthOf = remembered((line) => asked.push(line) && line.length, 2);
  for (const line of ['a', 'a', 'bb', 'a', 'ccc', 'bb', 'bb']) assert.equal(lengthOf(line), line.length);
  assert.deepEqual(asked, ['a', 'bb', 'ccc', 'bb']);
});

test('lines that are very long together are not all kept', () => {
  let asked = 0;
  const count = remembered(() => (asked += 1));
  const lines = Array.from({ length: 100 }, (_, index) => String(index).padEnd(10_000));
  for (const line of [...lines, ...lines]) count(line);
  assert.ok(asked > 100);
});
