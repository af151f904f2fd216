// Runs in a thread of its own: reads the text of an answer, and turns a page into Markdown. Converting takes seconds for
// large pages, and a hostile one may make it take forever.
import { Buffer } from 'node:buffer';
import { parentPort, workerData } from 'node:worker_threads';
import { decodeText } from './decode-text.ts';

/** What the thread is given. */
export interface PageRequest {
  readonly bytes: Uint8Array;
  /** As the header says it; empty when there is none. */
  readonly contentType: string;
  /** Where the answer came from. */
  readonly url: string;
  /** `text`: a page gets no form, which is quick whatever it holds. */
  readonly form: 'markdown' | 'text';
}

/** What it answers, once. */
export type PageReply =
  | { readonly kind: 'binary' }
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'page';
      readonly title: string;
      readonly text: string;
      readonly form: 'markdown' | 'text';
      /** False when only the beginning of the page was read. */
      readonly whole: boolean;
    };

/** Characters of a page's source that are read: five seconds' work for a usual one. */
const MAX_SOURCE = 2_000_000;
/** Elements nested deeper than this cannot be converted without using up the stack. */
const MAX_DEPTH = 600;
const MAX_TITLE = 300;

const HTML_TYPE = /^\s*(text\/html|application\/xhtml\+xml)\b/i;
const HTML_START = /^\s*(<!--[^]{0,500}?-->\s*)?<(!doctype html|html|head|body)\b/i;
const UNTYPED = /^\s*(application\/octet-stream\b.*)?$/i;

async function read(request: PageRequest): Promise<PageReply> {
  const { contentType } = request;
  const source = decodeText(Buffer.from(request.bytes), contentType);
  if (source === null) return { kind: 'binary' };
  const isPage = HTML_TYPE.test(contentType) || (UNTYPED.test(contentType) && HTML_START.test(source.slice(0, 1000)));
  return isPage ? readPage(source, request) : { kind: 'text', text: source };
}

async function readPage(source: string, { url, form }: PageRequest): Promise<PageReply> {
  const { depthOf, parsePage } = await import('./dom.ts');
  const { plainText } = await import('./plain-text.ts');
  const document = parsePage(source.slice(0, MAX_SOURCE));
  const title = (document.querySelector('title')?.textContent ?? '').replace(/\s+/g, ' ').trim().slice(0, MAX_TITLE);
  const page = { kind: 'page', title, whole: source.length <= MAX_SOURCE } as const;
  const depth = depthOf(document.body);
  if (form === 'text' || depth > MAX_DEPTH) return { ...page, text: plainText(document.body), form: 'text' };
  const { cleanPage } = await import('./clean-page.ts');
  const { mainPart } = await import('./main-part.ts');
  const { toMarkdown } = await import('./to-markdown.ts');
  cleanPage(document, url);
  return { ...page, text: toMarkdown(mainPart(document, depth)), form: 'markdown' };
}

// The one place that starts this thread hands it exactly this.
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- A thread has no origin; the rule means windows.
parentPort?.postMessage(await read(workerData as PageRequest));
