// A directory of the workspace is swapped for a link to the outside, over and over, while a session works in it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { FileError } from '../../src/contract/index.ts';
import { CANARY, readText, temporaryWorkspace } from './support/temporary-workspace.ts';

const ROUNDS = 3000;

const SWAPPER = `
const { mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } = require('node:fs');
const { workerData: { directory, outside, spare, state }, parentPort } = require('node:worker_threads');
const control = new Int32Array(state);
parentPort.postMessage('ready');
for (let round = 0; Atomics.load(control, 0) === 0; round++) {
  renameSync(directory, spare + round);
  try {
    symlinkSync(outside, directory);
    for (let spin = 0; spin < (round % 7) * 20000; spin++);
    unlinkSync(directory);
    renameSync(spare + round, directory);
  } catch {
    // The session has made the directory anew in the meantime: go on with that one.
    writeFileSync(directory + '/canary.txt', 'inside');
  }
  Atomics.add(control, 1, 1);
  for (let spin = 0; spin < (round % 5) * 20000; spin++);
}
`;

interface Swapper {
  /** Times the directory has been away and back. */
  rounds(): number;
}

async function startSwapper(t: TestContext, paths: { directory: string; outside: string; spare: string }): Promise<Swapper> {
  const state = new SharedArrayBuffer(8);
  const control = new Int32Array(state);
  const worker = new Worker(SWAPPER, { eval: true, workerData: { ...paths, state } });
  t.after(async () => {
    Atomics.store(control, 0, 1);
    await worker.terminate();
  });
  await once(worker, 'message');
  return { rounds: () => Atomics.load(control, 1) };
}

test('a directory that turns into a link to the outside never lets a read or a write out', async (t) => {
  const place = await temporaryWorkspace(t);
  const { files, workspace, outside } = place;
  const directory = join(workspace, 'directory');
  await mkdir(directory);
  await mkdir(join(workspace, 'spare'));
  await writeFile(join(directory, 'canary.txt'), 'inside');
  const swapper = await startSwapper(t, { directory, outside, spare: join(workspace, 'spare/') });
  const path = join(directory, 'canary.txt');
  const seen = { done: 0, refused: 0 };
  const attempt = async (action: () => Promise<unknown>): Promise<void> => {
    try {
      await action();
      seen.done += 1;
    } catch (error) {
      assert.ok(error instanceof FileError, String(error));
      seen.refused += 1;
    }
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    await Promise.all([
      attempt(async () => assert.notEqual(await readText(files, path), CANARY)),
      attempt(async () => {
        const before = await files.look(path);
        await files.write({ path, bytes: Buffer.from(`inside ${round}`), expectedHash: before?.hash ?? null });
      }),
      round % 10 === 0 &&
        attempt(() => files.write({ path: join(directory, `new-${round}/file`), bytes: Buffer.from('new'), expectedHash: null })),
    ]);
  }
  await place.assertOutsideUntouched();
  assert.ok(swapper.rounds() > 100, `the directory was swapped only ${swapper.rounds()} times`);
  assert.ok(seen.done > 0 && seen.refused > 0, `the race was never met: ${JSON.stringify(seen)}`);
  t.diagnostic(JSON.stringify({ ...seen, swaps: swapper.rounds() }));
});
