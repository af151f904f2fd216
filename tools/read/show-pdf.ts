// A PDF as the text of its pages, or as it is where it holds no text and is small.
import { basename } from 'node:path';
import { FileError, headOf } from '../../src/contract/index.ts';
import { extractPdf } from '../../src/workspace/content/extract-pdf.ts';
import { pdfDocument, PDF_FAILURES } from '../../src/workspace/content/pdf-document.ts';
import { PDF_PAGES, RESULT_CHARS } from './limits.ts';
import { parsePages } from './pdf-pages.ts';
import type { Shown } from './shown.ts';
import { count } from './shown.ts';

export interface PdfSource {
  readonly path: string;
  readonly bytes: Buffer;
  /** As the call gave it, already checked. */
  readonly pages: string | undefined;
}

/** @throws FileError when the document is damaged, protected, has no such pages, or no text and is too large to hand on. */
export async function showPdf({ path, bytes, pages }: PdfSource, signal: AbortSignal): Promise<Shown> {
  const { first, last } = (pages === undefined ? null : parsePages(pages)) ?? { first: 1, last: Infinity };
  const reply = await extractPdf({ bytes, first, limit: Math.min(PDF_PAGES, last - first + 1) }, signal);
  if ('failure' in reply)
    throw new FileError('io', `${path} ${PDF_FAILURES[reply.failure]}${reply.failure === 'too_slow' ? ' Ask for fewer pages.' : ''}`);
  const { total } = reply;
  if (first > total) throw new FileError('io', `${path} has ${count(total)} ${total === 1 ? 'page' : 'pages'}: there is no page ${first}.`);
  if (reply.pages.every((text) => text.trim() === '')) return asDocument(path, bytes, total);
  const { text, shown } = joinPages(reply.pages, first, total);
  const end = first + shown - 1;
  if (first === 1 && end === total) return { content: text, extent: 'whole' };
  const more = end === total ? '' : ` Read on with pages "${end + 1}-${Math.min(total, end + PDF_PAGES)}".`;
  return { content: `${text}\n\n[Partial: these are pages ${first} to ${end} of ${count(total)}.${more}]`, extent: 'part' };
}

function joinPages(pages: readonly string[], first: number, total: number): { text: string; shown: number } {
  let text = '';
  for (const [index, page] of pages.entries()) {
    const next = `${index === 0 ? '' : '\n\n'}Page ${first + index} of ${count(total)}\n\n${page.trim()}`;
    if (index > 0 && text.length + next.length > RESULT_CHARS) return { text, shown: index };
    text += next.length > RESULT_CHARS ? `${headOf(next, RESULT_CHARS)}\n[The rest of this page is cut.]` : next;
  }
  return { text, shown: pages.length };
}

function asDocument(path: string, bytes: Buffer, total: number): Shown {
  const document = pdfDocument({ bytes, pages: total, title: basename(path) });
  if (document === null) {
    throw new FileError('io', `${path} holds no text on these pages (only images, perhaps) and is too large to be shown as it is.`);
  }
  return { content: [document], extent: 'whole' };
}
