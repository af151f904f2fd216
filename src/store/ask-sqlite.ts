// The service's side of the store file's thread.
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { messageOf } from '../contract/index.ts';
import { errorOf, type PlainError } from './sqlite-errors.ts';
import type { SqliteWork } from './sqlite-work.ts';
import { closedError, unavailable } from './outages.ts';

/** A question to the thread. */
export interface Asked {
  readonly id: number;
  readonly name: keyof SqliteWork;
  readonly args: readonly unknown[];
}

/** Its answer, in the order of the questions. That to question 0, which nobody asks, says whether the file could be opened. */
export type Told = { readonly id: number; readonly value: unknown } | { readonly id: number; readonly error: PlainError };

/** An open store file. */
export interface SqliteThread {
  /** Position of the tables when the file was opened. */
  readonly position: number;
  /** Does it behind all that was asked before. @throws Error of SQLite, Problem `store-unavailable` when the thread has ended */
  readonly ask: <Name extends keyof SqliteWork>(name: Name, ...args: Parameters<SqliteWork[Name]>) => Promise<ReturnType<SqliteWork[Name]>>;
  /** Closes the file behind all that was asked before, and ends the thread. */
  readonly close: () => Promise<void>;
}

/** MiB of the young part of its heap: rows come and go, and nothing of them stays. */
const YOUNG_MB = 8;

/**
 * Opens a store file in a thread of its own.
 * @param heapMb MiB of the rest of its heap, beyond which the thread ends; by default as much as Node gives a thread
 * @throws Error that names the file and says what to change
 */
export async function openSqliteThread(file: string, heapMb?: number): Promise<SqliteThread> {
  const thread = new Worker(join(import.meta.dirname, `sqlite-thread${extname(import.meta.filename)}`), {
    name: 'store',
    workerData: { file },
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB, ...(heapMb !== undefined && { maxOldGenerationSizeMb: heapMb }) },
  });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  const ended = Promise.withResolvers<void>();
  let count = 0;
  let over: Error | undefined;

  const wait = (id: number): Promise<unknown> => {
    const answer = Promise.withResolvers<unknown>();
    waiting.set(id, answer);
    // Only who waits for it is a reason for the process to go on.
    thread.ref();
    return answer.promise;
  };
  thread.on('message', (told: Told) => {
    const answer = waiting.get(told.id);
    waiting.delete(told.id);
    if (waiting.size === 0) thread.unref();
    if ('error' in told) answer?.reject(errorOf(told.error));
    else answer?.resolve(told.value);
  });
  thread.on('error', (cause) => {
    over ??= unavailable(`its thread has ended (${messageOf(cause)}), and the service must be started again`, {
      retryAfterSeconds: 5,
      cause,
    });
  });
  thread.once('exit', () => {
    over ??= closedError();
    for (const answer of waiting.values()) answer.reject(over);
    waiting.clear();
    ended.resolve();
  });

  const ask: SqliteThread['ask'] = (name, ...args) => {
    if (over !== undefined) return Promise.reject(over);
    const id = ++count;
    const answer = wait(id);
    thread.postMessage({ id, name, args } satisfies Asked, []);
    // The thread answers with what the function of that name gives.
    return answer as Promise<never>;
  };

  try {
    const position = (await wait(0)) as number;
    return {
      position,
      ask,
      async close() {
        if (over !== undefined) return;
        try {
          await ask('close');
        } finally {
          over ??= closedError();
          await thread.terminate();
          await ended.promise;
        }
      },
    };
  } catch (error) {
    await thread.terminate();
    throw error;
  }
}
