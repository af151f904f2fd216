// Pages that were fetched a short while ago. Each session has its own, so that none can tell by the time what others read.
import { LRUCache } from 'lru-cache';
import type { ResultContent } from '../../src/contract/index.ts';

export interface Page {
  readonly content: ResultContent;
  /** Where it came from, after redirects. */
  readonly url: string;
  readonly contentType: string;
  /** Of the answer. */
  readonly bytes: number;
}

const TTL_MS = 15 * 60_000;
/** Bytes of all pages of all sessions together. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_PAGE_BYTES = 16 * 1024 * 1024;

const pages = new LRUCache<string, Page>({ ttl: TTL_MS, maxSize: MAX_BYTES, maxEntrySize: MAX_PAGE_BYTES, sizeCalculation: sizeOf });

export function cachedPage(sessionId: string, url: string): Page | undefined {
  return pages.get(keyOf(sessionId, url));
}

export function cachePage(sessionId: string, url: string, page: Page): void {
  pages.set(keyOf(sessionId, url), page);
}

function keyOf(sessionId: string, url: string): string {
  return JSON.stringify([sessionId, url]);
}

/** A character takes two bytes at the most. */
function sizeOf({ content, url }: Page): number {
  const blocks = typeof content === 'string' ? [content.length] : content.map((block) => JSON.stringify(block).length);
  return 2 * (blocks.reduce((sum, length) => sum + length, 0) + url.length) + 1_000;
}
