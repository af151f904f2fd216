// A PDF as the text of its pages, or as it is where it holds none and is small.
import type { ResultContent } from '../../src/contract/index.ts';
import { extractPdf } from '../../src/workspace/content/extract-pdf.ts';
import { pdfDocument, PDF_FAILURES } from '../../src/workspace/content/pdf-document.ts';
import type { Answer } from './fetch-answer.ts';

/** Pages of which the text is read. */
const MAX_PAGES = 100;
/** @throws Error fit for a model when it cannot be read, or holds no text and is too large to hand on */
export async function showPdf({ bytes, url }: Pick<Answer, 'bytes' | 'url'>, signal: AbortSignal): Promise<ResultContent> {
  const reply = await extractPdf({ bytes, first: 1, limit: MAX_PAGES }, signal);
  if ('failure' in reply) throw new Error(`${url} ${PDF_FAILURES[reply.failure]}`);
  const { pages, total } = reply;
  if (pages.every((text) => text.trim() === '')) return asDocument({ bytes, url, total });
  const part = pages.length < total ? `[Partial: these are pages 1 to ${pages.length} of ${total}.]\n\n` : '';
  return part + pages.map((text, index) => `Page ${index + 1} of ${total}\n\n${text.trim()}`).join('\n\n');
}

function asDocument({ bytes, url, total }: Pick<Answer, 'bytes' | 'url'> & { readonly total: number }): ResultContent {
  const document = pdfDocument({ bytes, pages: total, title: url });
  if (document === null) throw new Error(`${url} is a PDF without text (only images, perhaps) and too large to be shown as it is.`);
  return [document];
}
