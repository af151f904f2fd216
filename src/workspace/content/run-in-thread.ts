// Runs one piece of work in a thread of its own, and ends the thread: when it has answered, when its time or memory is used
// up, or when the call stops. Content of strangers is read there, since it can be made to take forever.
import { Worker } from 'node:worker_threads';
import PQueue from 'p-queue';

/** Threads at the same time, over all sessions. */
const threads = new PQueue({ concurrency: 2 });

export interface ThreadJob {
  /** The module that the thread runs: it finds `request` as its `workerData` and posts one answer. */
  readonly script: URL;
  readonly request: unknown;
  /** Counted from the start of the thread. */
  readonly timeoutMs: number;
  /** Mebibytes of its heap. */
  readonly memoryMb: number;
  readonly signal: AbortSignal;
}

/** The thread's answer, which its module vouches for; `null` when it gave none: time or memory was used up, or `signal` fired. */
export async function runInThread<Reply>(job: ThreadJob): Promise<Reply | null> {
  try {
    return await threads.add(() => answerOf<Reply>(job), { signal: job.signal });
  } catch (error) {
    if (job.signal.aborted) return null;
    throw error;
  }
}

async function answerOf<Reply>({ script, request, timeoutMs, memoryMb, signal }: ThreadJob): Promise<Reply | null> {
  const { promise, resolve } = Promise.withResolvers<Reply | null>();
  const giveUp = (): void => resolve(null);
  const worker = new Worker(script, { workerData: request, env: {}, resourceLimits: { maxOldGenerationSizeMb: memoryMb } });
  worker.once('message', resolve);
  worker.once('error', giveUp);
  worker.once('exit', giveUp);
  const timer = setTimeout(giveUp, timeoutMs);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
    await worker.terminate();
  }
}
