// The text of a PDF, read in a thread.
import { extname } from 'node:path';
import type { PdfReply, PdfRequest } from './pdf-worker.ts';
import { runInThread } from './run-in-thread.ts';

const TIMEOUT_MS = 30_000;
const MEMORY_MB = 512;
const SCRIPT = new URL(`./pdf-worker${extname(import.meta.filename)}`, import.meta.url);

export type PdfText = PdfReply | { readonly failure: 'too_slow' };

/** The text of some pages. @returns `too_slow` when time or memory ran out or the call was stopped. */
export async function extractPdf({ bytes, first, limit }: PdfRequest, signal: AbortSignal): Promise<PdfText> {
  const request: PdfRequest = { bytes: new Uint8Array(bytes), first, limit };
  const reply = await runInThread<PdfReply>({ script: SCRIPT, request, timeoutMs: TIMEOUT_MS, memoryMb: MEMORY_MB, signal });
  return reply ?? { failure: 'too_slow' };
}
