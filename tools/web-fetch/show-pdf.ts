// A PDF as the text of its pages, or as it is where it holds none and is small.
import type { ResultContent } from '../../src/contract/index.ts';
import { extractPdf } from '../../src/workspace/content/extract-pdf.ts';
import type { Answer } from './fetch-answer.ts';

/** Pages of which the text is read. */
const MAX_PAGES = 100;
/** Bytes and pages of a document that is handed on as it is. */
const DOCUMENT_BYTES = 4 * 1024 * 1024;
const DOCUMENT_PAGES = 100;

const FAILURES = {
  password: 'is protected by a password: it cannot be read.',
  damaged: 'is damaged: it could not be read as a PDF.',
  too_slow: 'takes too long to read as a PDF.',
} as const;

/** @throws Error fit for a model when it cannot be read, or holds no text and is too large to hand on */
export async function showPdf({ bytes, url }: Pick<Answer, 'bytes' | 'url'>, signal: AbortSignal): Promise<ResultContent> {
  const reply = await extractPdf({ bytes, first: 1, limit: MAX_PAGES }, signal);
  if ('failure' in reply) throw new Error(`${url} ${FAILURES[reply.failure]}`);
  const { pages, total } = reply;
  if (pages.every((text) => text.trim() === '')) return asDocument({ bytes, url, total });
  const part = pages.length < total ? `[Partial: these are pages 1 to ${pages.length} of ${total}.]\n\n` : '';
  return part + pages.map((text, index) => `Page ${index + 1} of ${total}\n\n${text.trim()}`).join('\n\n');
}

function asDocument({ bytes, url, total }: Pick<Answer, 'bytes' | 'url'> & { readonly total: number }): ResultContent {
  if (bytes.length > DOCUMENT_BYTES || total > DOCUMENT_PAGES) {
    throw new Error(`${url} is a PDF without text (only images, perhaps) and too large to be shown as it is.`);
  }
  const source = { type: 'base64', media_type: 'application/pdf', data: bytes.toString('base64') } as const;
  return [{ type: 'document', source, title: url }];
}
