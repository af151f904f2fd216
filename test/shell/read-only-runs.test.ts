// What is judged to only read is really run, in a directory full of temptations, which must not change.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isReadOnlyCommand } from '../../src/shell/read-only.ts';
import { mutatedLines } from './line-mutations.ts';
import { linesThatWrite } from './throw-away.ts';

const SEED = 20_240_607;
const LINES_AT_ONCE = 250;
/** These would only cost time: what runs without end is killed. */
const ENDLESS = /\b(sleep|yes|watch|while|until)\b|tail.*-[a-z]*f|--follow|\/dev\/(zero|u?random)|dmesg/i;

const cases = JSON.parse(readFileSync(new URL('../cases/readonly.json', import.meta.url), 'utf8')) as { cmd: string }[];
const corpus = cases.map(({ cmd }) => cmd).filter((cmd) => cmd.length < 300);

function readingLines(lines: readonly string[]): string[] {
  return [...new Set(lines)].filter((line) => isReadOnlyCommand(line) && !ENDLESS.test(line));
}

async function assertNothingWrites(lines: readonly string[]): Promise<void> {
  const parts = Array.from({ length: Math.ceil(lines.length / LINES_AT_ONCE) }, (_, index) =>
    lines.slice(index * LINES_AT_ONCE, (index + 1) * LINES_AT_ONCE),
  );
  assert.deepEqual((await Promise.all(parts.map(linesThatWrite))).flat(), []);
}

describe('a line that is judged to only read', { concurrency: true }, () => {
  test('would be seen to write if it did', async () => {
    const harmful = ['touch x', './evil', 'sort -o out a.txt', 'chmod 600 a.txt', 'find . -name b.txt -delete', 'git branch new'];
    assert.deepEqual(await linesThatWrite(['ls', ...harmful, 'cat a.txt']), harmful);
  });

  test('leaves the directory as it is', async () => {
    const lines = readingLines(corpus).filter((_, index) => index % 4 === 0);
    assert.ok(lines.length > 150);
    await assertNothingWrites(lines);
  });

  test('leaves the directory as it is when it is a bent form of another line', async () => {
    const lines = readingLines(fc.sample(mutatedLines(corpus), { seed: SEED, numRuns: 3_500 }));
    assert.ok(lines.length > 200);
    await assertNothingWrites(lines);
  });
});
