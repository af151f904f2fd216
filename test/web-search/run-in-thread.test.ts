import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { runInThread, type ThreadJob } from '../../src/workspace/content/run-in-thread.ts';

function script(code: string): URL {
  return new URL(`data:text/javascript,${encodeURIComponent(`import { parentPort, workerData } from 'node:worker_threads';\n${code}`)}`);
}

/** Says that it runs, and then counts for ever. */
const COUNTING = script(`
  const beats = new Int32Array(workerData);
  for (;;) { Atomics.add(beats, 0, 1); Atomics.notify(beats, 0); }
`);
const HUNGRY = script('const all = []; for (;;) all.push(new Array(1_000_000).fill(all.length));');
const ECHO = script('parentPort.postMessage({ said: workerData, env: process.env });');

function job(given: Partial<ThreadJob> & Pick<ThreadJob, 'script'>): ThreadJob {
  return { request: null, timeoutMs: 60_000, memoryMb: 64, signal: new AbortController().signal, ...given };
}

/** Whether a count stands still, once it has begun. */
async function standsStill(beats: Int32Array): Promise<boolean> {
  const before = Atomics.load(beats, 0);
  await setTimeout(100);
  return before > 0 && Atomics.load(beats, 0) === before;
}

async function begun(beats: Int32Array): Promise<void> {
  const first = Atomics.waitAsync(beats, 0, 0);
  await first.value;
}

test('A thread gives its answer, and sees nothing of the environment', async () => {
  assert.deepEqual(await runInThread(job({ script: ECHO, request: 'hello' })), { said: 'hello', env: {} });
});

test('A thread that never answers is ended when its time is over', async () => {
  const beats = new Int32Array(new SharedArrayBuffer(4));
  assert.equal(await runInThread(job({ script: COUNTING, request: beats.buffer, timeoutMs: 2_000 })), null);
  assert.ok(await standsStill(beats));
});

test('A thread is ended when the call stops, and those that wait for a place give it up', async () => {
  const stop = new AbortController();
  const counts = [1, 2].map(() => new Int32Array(new SharedArrayBuffer(4)));
  const running = counts.map((beats) => runInThread(job({ script: COUNTING, request: beats.buffer, signal: stop.signal })));
  await Promise.all(counts.map(begun));
  const leaving = new AbortController();
  const waiting = runInThread(job({ script: ECHO, request: 'late', signal: leaving.signal }));
  leaving.abort();
  assert.equal(await waiting, null);
  stop.abort();
  assert.deepEqual(await Promise.all(running), [null, null]);
  for (const beats of counts) while (!(await standsStill(beats)));
});

test('A thread that takes too much memory costs only its own work', async () => {
  assert.equal(await runInThread(job({ script: HUNGRY, memoryMb: 16 })), null);
  assert.deepEqual(await runInThread(job({ script: ECHO, request: 1 })), { said: 1, env: {} });
});
