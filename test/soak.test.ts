import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { treeUse } from '../bench/soak/process-tree.ts';
import { growths, type Held } from '../bench/soak/samples.ts';

const MIB = 2 ** 20;

/** Samples that are alike but in one thing. */
function samples(key: keyof Held, values: readonly number[]): Held[] {
  const still = { rssBytes: 100 * MIB, heapBytes: 40 * MIB, externalBytes: 4 * MIB, childBytes: 150 * MIB, openFiles: 80, processes: 3 };
  return values.map((value) => ({ ...still, [key]: value }));
}

function growing(held: readonly Held[]): string[] {
  return growths(held).flatMap(({ what, grows }) => (grows ? [what] : []));
}

describe('the verdict of a soak', () => {
  test('lets memory go up and down by a tenth', () => {
    assert.deepEqual(
      growing(
        samples(
          'rssBytes',
          [100, 101, 100, 104, 103, 105, 107, 106, 108].map((mib) => mib * MIB),
        ),
      ),
      [],
    );
  });

  test('tells memory that rises by more from the first third to the last', () => {
    assert.deepEqual(
      growing(
        samples(
          'rssBytes',
          [100, 105, 110, 115, 120, 125, 130, 135, 140].map((mib) => mib * MIB),
        ),
      ),
      ['resident'],
    );
    assert.deepEqual(
      growing(
        samples(
          'heapBytes',
          [40, 42, 44, 46, 48, 50, 52, 54, 56].map((mib) => mib * MIB),
        ),
      ),
      ['heap'],
    );
  });

  test('tells files that are opened and never closed', () => {
    assert.deepEqual(growing(samples('openFiles', [80, 82, 84, 86, 88, 90, 96, 98, 100])), ['open files']);
  });

  test('tells one process more that does not end', () => {
    assert.deepEqual(growing(samples('processes', [3, 3, 3, 3, 3, 4, 4, 4, 4])), ['processes']);
  });

  test('is not misled by one sample that is far off', () => {
    assert.deepEqual(growing(samples('openFiles', [80, 80, 80, 80, 80, 80, 80, 900, 80])), []);
  });
});

test('what a process holds is counted with what it has started', async (t) => {
  const before = await treeUse(process.pid);
  assert.ok(before.openFiles > 0);
  const child = spawn('/bin/sh', ['-c', 'sleep 600 & exec sleep 600 3</dev/null'], { detached: true, stdio: 'ignore' });
  t.after(() => process.kill(-(child.pid ?? 0), 'SIGKILL'));
  await once(child, 'spawn');
  const until = performance.now() + 30_000;
  while ((await treeUse(process.pid)).processes < before.processes + 2 && performance.now() < until) await sleep(10);
  const after = await treeUse(process.pid);
  assert.ok(after.openFiles >= before.openFiles + 3 + 3);
  assert.ok(after.childBytes > before.childBytes);
});

test('a short soak loses nothing, reads a great output whole, leaves nothing open and says so', async () => {
  const soak = fileURLToPath(new URL('../bench/soak.ts', import.meta.url));
  const run = spawn(process.execPath, [soak, '--calls', '200', '--sessions', '2', '--output', '20'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = await Promise.all([text(run.stdout), once(run, 'exit')]);
  const [head = ''] = said.split('\n');
  assert.match(head, /^after +resident +heap +buffers +helpers +open files +processes$/);
  const told = said.split('\n').filter((line) => /^[✔✘]/.test(line));
  // So early, memory still rises: what is compiled and cached is not all there.
  const lasting = told.filter((line) => !/^. (resident|heap|buffers|helpers)/.test(line));
  assert.deepEqual(
    lasting.filter((line) => !line.startsWith('✔')),
    [],
    said,
  );
  const wanted = [
    /open files/,
    /processes/,
    / 0 results lost/,
    /session 1: 0 results missing, 0 gaps/,
    /session 2: 0 results missing, 0 gaps/,
    /intact/,
  ];
  assert.deepEqual(
    wanted.map((words, n) => words.test(lasting[n] ?? '')),
    wanted.map(() => true),
    said,
  );
});
