// What every reader of a PDF says of one that cannot be read, and does with one that holds no text.
import type { DocumentBlock } from '../../contract/index.ts';

/** Bytes and pages of a document that is handed on as it is. */
const DOCUMENT_BYTES = 4 * 1024 * 1024;
const DOCUMENT_PAGES = 100;

/** What follows the name of the document. */
export const PDF_FAILURES = {
  password: 'is protected by a password: it cannot be read.',
  damaged: 'is damaged: it could not be read as a PDF.',
  too_slow: 'takes too long to read as a PDF.',
} as const;

/** @param pages of the whole document. @returns `null` when it is too large to be handed on */
export function pdfDocument({ bytes, pages, title }: { bytes: Buffer; pages: number; title: string }): DocumentBlock | null {
  if (bytes.length > DOCUMENT_BYTES || pages > DOCUMENT_PAGES) return null;
  return { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: bytes.toString('base64') }, title };
}
