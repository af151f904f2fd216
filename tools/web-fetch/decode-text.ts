// From the bytes of an answer to its text: marks and valid UTF-8 first, then what header or page declare, and only then a guess.
import { isUtf8 } from 'node:buffer';
import { detectEncoding } from '../../src/workspace/content/detect-encoding.ts';

/** Bytes at the start of a page in which it may declare its encoding. */
const DECLARATION_BYTES = 2048;
const DECLARED = /<meta[^>]{1,200}?charset\s*=\s*["']?\s*([\w:.-]{1,40})|<\?xml[^>]{1,100}?encoding\s*=\s*["']([\w:.-]{1,40})/i;

/** @returns `null` when the bytes are no text */
export function decodeText(bytes: Buffer, contentType: string): string | null {
  if (bytes.includes(0)) return decodeAs(declaredUtf16(contentType), bytes) ?? guessed(bytes);
  // Text beyond ASCII in another encoding is practically never valid UTF-8, so that no declaration weighs more.
  if (isUtf8(bytes) && bytes.some((byte) => byte > 0x7f)) return new TextDecoder().decode(bytes);
  const byHeader = decodeAs(charsetOf(contentType), bytes);
  return byHeader ?? decodeAs(declaredIn(bytes), bytes) ?? guessed(bytes);
}

/** As a header such as `text/html; charset=utf-8` says it. */
function charsetOf(contentType: string): string | null {
  return /;\s*charset\s*=\s*"?([\w:.-]{1,40})/i.exec(contentType)?.[1] ?? null;
}

function declaredUtf16(contentType: string): string | null {
  const charset = charsetOf(contentType);
  return charset !== null && /^utf-16/i.test(charset) ? charset : null;
}

function declaredIn(bytes: Buffer): string | null {
  const [, ofPage, ofXml] = DECLARED.exec(bytes.subarray(0, DECLARATION_BYTES).toString('latin1')) ?? [];
  return ofPage ?? ofXml ?? null;
}

/** `null` when the encoding is not known, or the bytes are not valid in it. */
function decodeAs(label: string | null, bytes: Buffer): string | null {
  if (label === null) return null;
  try {
    return new TextDecoder(label, { fatal: true }).decode(bytes);
  } catch {
    // Declared wrongly, which is common: the next way is tried.
    return null;
  }
}

function guessed(bytes: Buffer): string | null {
  const encoding = detectEncoding(bytes);
  return encoding === null ? null : encoding.decode(bytes.subarray(encoding.bom.length));
}
