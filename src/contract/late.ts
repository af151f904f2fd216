import { Problem } from './error.ts';

/** Something that is opened when it is used first. */
export interface Late<Thing> {
  /** One that could not be opened is tried again. @throws what opening it throws; Problem `draining` when it was closed before */
  get(): Promise<Thing>;
  /** Closes it, where it was opened. */
  close(): Promise<void>;
}

/** @param close of a thing that holds something open */
export function late<Thing>(open: () => Promise<Thing>, close?: (thing: Thing) => Promise<unknown>): Late<Thing> {
  let opening: Promise<Thing> | undefined;
  let closed = false;
  return {
    async get() {
      if (closed && opening === undefined)
        throw new Problem('draining', 'The service is shutting down: try again, elsewhere or later.', { retryAfterSeconds: 5 });
      opening ??= open().catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      return opening;
    },
    async close() {
      closed = true;
      // What could not be opened has nothing to close.
      const opened = await opening?.catch(() => undefined);
      if (opened !== undefined) await close?.(opened);
    },
  };
}
