// Starts the thread that reads a document, and ends it: when it has answered, when time is over, or when the call stops.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import PQueue from 'p-queue';
import type { PdfReply, PdfRequest } from './pdf-worker.ts';

const TIMEOUT_MS = 30_000;
const MEMORY_MB = 512;

/** Threads at the same time, over all sessions. */
const threads = new PQueue({ concurrency: 2 });

export type PdfText = PdfReply | { readonly failure: 'too_slow' };

/** The text of some pages. @returns `too_slow` when time or memory ran out or the call was stopped. */
export function extractPdf(request: PdfRequest, signal: AbortSignal): Promise<PdfText> {
  return threads.add(() => extractInThread(request, signal));
}

async function extractInThread(request: PdfRequest, signal: AbortSignal): Promise<PdfText> {
  if (signal.aborted) return { failure: 'too_slow' };
  const { promise, resolve } = Promise.withResolvers<PdfText>();
  const giveUp = (): void => resolve({ failure: 'too_slow' });
  const worker = new Worker(new URL(`./pdf-worker${extname(import.meta.filename)}`, import.meta.url), {
    workerData: { ...request, bytes: new Uint8Array(request.bytes) } satisfies PdfRequest,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  });
  worker.once('message', resolve);
  worker.once('error', giveUp);
  worker.once('exit', giveUp);
  const timer = setTimeout(giveUp, TIMEOUT_MS);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
    await worker.terminate();
  }
}
