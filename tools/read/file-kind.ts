// What a file is, by its first bytes; names only tell notebooks from other text.
import { detectEncoding } from '../../src/workspace/content/detect-encoding.ts';
import { IMAGE_TYPES } from '../../src/workspace/content/scale-image.ts';

export type FileKind = { readonly kind: 'text' | 'notebook' | 'image' | 'pdf' } | { readonly kind: 'binary'; readonly type: string };

/** Types that are recognised by their first words but are text all the same. */
const TEXTUAL = /^text\/|xml$|^application\/(rtf|postscript|pgp-encrypted|json)$/;

/** @param complete whether `head` is the whole file */
export async function kindOfFile(path: string, head: Buffer, complete: boolean): Promise<FileKind> {
  const encoding = detectEncoding(head, { complete });
  const isPdf = head.subarray(0, 5).toString('latin1') === '%PDF-';
  const isPlain = encoding !== null && (encoding.bom.length > 0 || encoding.name === 'UTF-8') && !isPdf;
  // Most files are plain, and need nothing of it.
  const { fileTypeFromBuffer } = isPlain ? {} : await import('file-type');
  const found = await fileTypeFromBuffer?.(head);
  if (found?.mime === 'application/pdf') return { kind: 'pdf' };
  if (found && IMAGE_TYPES.has(found.mime)) return { kind: 'image' };
  if (found && !TEXTUAL.test(found.mime)) return { kind: 'binary', type: found.mime };
  if (!encoding) return { kind: 'binary', type: 'unknown type' };
  return { kind: /\.ipynb$/i.test(path) ? 'notebook' : 'text' };
}
