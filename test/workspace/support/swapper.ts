// Somebody who swaps a part of the workspace for a link to the outside, over and over.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Each step may meet what the session has made meanwhile; then the next round begins with that. */
const SWAPPER = `
const { renameSync, symlinkSync, unlinkSync } = require('node:fs');
const { workerData: { swapped, link, spare, state }, parentPort } = require('node:worker_threads');
const control = new Int32Array(state);
const attempt = (step) => { try { step(); return true; } catch { return false; } };
const pause = (milliseconds) => Atomics.wait(control, 2, 0, milliseconds);
parentPort.postMessage('ready');
for (let round = 0; Atomics.load(control, 0) === 0; round++) {
  const away = spare + '/' + round;
  if (!attempt(() => renameSync(swapped, away))) continue;
  if (attempt(() => symlinkSync(link, swapped))) {
    pause((round % 4) / 4);
    unlinkSync(swapped);
    Atomics.add(control, 1, 1);
  }
  attempt(() => renameSync(away, swapped));
  pause((round % 8) / 4);
}
`;

export interface Swapper {
  /** Times there was a link. */
  swaps(): number;
  stop(): Promise<void>;
}

/** Swaps `swapped` for a link to `link` and back, from a thread of its own; what was there waits in the directory `spare`. */
export async function startSwapper(paths: { swapped: string; link: string; spare: string }): Promise<Swapper> {
  const state = new SharedArrayBuffer(12);
  const control = new Int32Array(state);
  const worker = new Worker(SWAPPER, { eval: true, workerData: { ...paths, state } });
  const ended = once(worker, 'exit');
  await once(worker, 'message');
  return {
    swaps: () => Atomics.load(control, 1),
    async stop() {
      Atomics.store(control, 0, 1);
      await ended;
    },
  };
}
