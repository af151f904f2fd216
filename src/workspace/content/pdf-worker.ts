// Runs in a thread of its own: parsing may take long, and a hostile document may make it take forever.
import { parentPort, workerData } from 'node:worker_threads';
import { getDocumentProxy } from 'unpdf';

/** What the thread is given. */
export interface PdfRequest {
  readonly bytes: Uint8Array;
  readonly first: number;
  /** Pages read at most. */
  readonly limit: number;
}

/** What it answers, once. */
export type PdfReply = { readonly total: number; readonly pages: readonly string[] } | { readonly failure: 'password' | 'damaged' };

async function extract({ bytes, first, limit }: PdfRequest): Promise<PdfReply> {
  try {
    const document = await getDocumentProxy(bytes, { verbosity: 0 });
    const pages: string[] = [];
    for (let number = first; number <= Math.min(document.numPages, first + limit - 1); number += 1) {
      const { items } = await (await document.getPage(number)).getTextContent();
      pages.push(items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join(''));
    }
    return { total: document.numPages, pages };
  } catch (error) {
    return { failure: error instanceof Error && error.name === 'PasswordException' ? 'password' : 'damaged' };
  }
}

// The one place that starts this thread hands it exactly this.
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- A thread has no origin; the rule means windows.
parentPort?.postMessage(await extract(workerData as PdfRequest));
