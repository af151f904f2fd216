// Has the text of an answer read in a thread: with its form, or without it where that takes too much.
import { extname } from 'node:path';
import { runInThread } from '../../src/workspace/content/run-in-thread.ts';
import type { PageReply, PageRequest } from './page-worker.ts';

const SCRIPT = new URL(`./page-worker${extname(import.meta.filename)}`, import.meta.url);
const MEMORY_MB = 512;
/** Milliseconds of each attempt. */
const TIMEOUTS = { markdown: 10_000, text: 10_000 };

export type Convertible = Omit<PageRequest, 'form'>;

/** @returns `null` when the page is too much for either, or the call was stopped */
export async function convertPage(page: Convertible, signal: AbortSignal, timeouts = TIMEOUTS): Promise<PageReply | null> {
  for (const form of ['markdown', 'text'] as const) {
    const request: PageRequest = { ...page, form };
    const reply = await runInThread<PageReply>({ script: SCRIPT, request, timeoutMs: timeouts[form], memoryMb: MEMORY_MB, signal });
    if (reply !== null || signal.aborted) return reply;
  }
  return null;
}
