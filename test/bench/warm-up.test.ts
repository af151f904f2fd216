import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

test('the benchmark measures a no-op call only after two thousand have run, and says so', async () => {
  const path = fileURLToPath(new URL('../../bench/index.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [
    path,
    '--rounds',
    '1',
    '--only',
    'over the socket, empty, paced',
    '--json',
  ]);
  const { results } = JSON.parse(stdout) as { results: { warmUpCalls: number; ours: number }[] };
  assert.equal(results.length, 1);
  for (const { warmUpCalls, ours } of results) assert.ok(warmUpCalls >= 2_000 && ours > 0, `${warmUpCalls} calls`);
});
