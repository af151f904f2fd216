import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** Runs a program of `bench` to its end. */
function run(file: string, args: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const { promise, resolve } = Promise.withResolvers<{ code: number | null; stdout: string; stderr: string }>();
  const path = fileURLToPath(new URL(`../../bench/${file}`, import.meta.url));
  const child = execFile(process.execPath, [path, ...args], (_error, stdout, stderr) => resolve({ code: child.exitCode, stdout, stderr }));
  return promise;
}

interface Report {
  readonly rounds: number;
  readonly results: readonly { readonly name: string; readonly ours: number; readonly theirs: number; readonly faults: number | null }[];
}

describe('the benchmark', () => {
  test('compares the real service with the ideal schedule and finds nothing out of order', async () => {
    const { code, stdout, stderr } = await run('index.ts', ['--rounds', '1', '--only', '1 write', '--json']);
    assert.equal(code, 0, stderr);
    const { rounds, results } = JSON.parse(stdout) as Report;
    assert.equal(rounds, 1);
    assert.deepEqual(
      results.map(({ name, faults }) => ({ name, faults })),
      [
        { name: '5 reads, 1 write, 5 reads of 100 ms: finish', faults: 0 },
        { name: '5 reads, 1 write, 5 reads of 100 ms: first result', faults: 0 },
      ],
    );
    // What the tools took counts, and a timer may fire a millisecond early; more than that no server can gain.
    const [finish, first] = results.map(({ theirs }) => theirs);
    assert.ok((finish ?? 0) > 295 && (first ?? 0) > 98 && (finish ?? 0) > 2 * (first ?? Infinity));
    for (const { ours, theirs } of results) assert.ok(ours > theirs * 0.95, `${ours} is better than ideal`);
  });

  test('refuses a number of rounds that is none', async () => {
    const { code, stderr } = await run('index.ts', ['--rounds', 'many']);
    assert.equal(code, 1);
    assert.match(stderr, /--rounds takes a whole number/);
  });

  test('refuses a name that no line has, rather than to measure nothing', async () => {
    const { code, stderr } = await run('index.ts', ['--only', 'no such line']);
    assert.equal(code, 1);
    assert.match(stderr, /No line has such a name/);
  });
});
