import { whenFired } from './when-fired.ts';

/** Whether the work ends in that time; it goes on by itself. @throws what the work throws in that time */
export async function settlesWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, ms, false);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What the work gives; `undefined` as soon as the signal fires: it goes on by itself. @throws what the work throws until then */
export async function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result | undefined> {
  const { promise: stopped, resolve } = Promise.withResolvers<undefined>();
  const over = new AbortController();
  whenFired(signal, () => resolve(undefined), over.signal);
  try {
    return await Promise.race([work, stopped]);
  } finally {
    over.abort();
  }
}
