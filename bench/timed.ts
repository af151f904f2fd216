import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Runs it so many times, one after another, and gives back the time of each, in milliseconds.
 * @param pauseMs before each, not counted: whoever takes part sleeps when it begins
 */
export async function timesOf(count: number, run: () => Promise<unknown>, pauseMs = 0): Promise<number[]> {
  const spentMs: number[] = [];
  for (let n = 0; n < count; n += 1) {
    if (pauseMs > 0) await sleep(pauseMs);
    const startMs = performance.now();
    await run();
    spentMs.push(performance.now() - startMs);
  }
  return spentMs;
}
