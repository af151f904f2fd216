// How text stands in a file's bytes. Editing must not touch a byte that nobody asked for, so beside the readable text
// there are "units": a string that stands for the bytes one to one, in which text can be searched for and replaced.
import { Buffer, isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';

export interface TextEncoding {
  /** For people and models, such as `UTF-16 LE`. */
  readonly name: string;
  /** Byte order mark in front of the text; empty when there is none. It belongs to neither text nor units. */
  readonly bom: Buffer;
  /** Bytes of one line feed. */
  readonly lineFeed: Buffer;
  /** Readable text; bytes that mean nothing become U+FFFD. */
  decode(bytes: Buffer): string;
  /** The bytes of a text, without mark; `null` when the encoding has no way to say it. */
  encode(text: string): Buffer | null;
  /** The bytes as units, without loss. */
  toUnits(bytes: Buffer): string;
  fromUnits(units: string): Buffer;
}

const NO_BOM = Buffer.alloc(0);
const LINE_FEED = Buffer.from('\n');

function utf8(bom: Buffer): TextEncoding {
  return {
    name: bom.length > 0 ? 'UTF-8 with BOM' : 'UTF-8',
    bom,
    lineFeed: LINE_FEED,
    decode: (bytes) => bytes.toString('utf8'),
    encode: (text) => (text.isWellFormed() ? Buffer.from(text, 'utf8') : null),
    toUnits: (bytes) => bytes.toString('latin1'),
    fromUnits: (units) => Buffer.from(units, 'latin1'),
  };
}

function utf16(order: 'LE' | 'BE', marked: boolean): TextEncoding {
  const swapped = (bytes: Buffer): Buffer => (order === 'BE' ? Buffer.from(bytes).swap16() : bytes);
  const decode = (bytes: Buffer): string => swapped(bytes.subarray(0, bytes.length & ~1)).toString('utf16le');
  const fromUnits = (units: string): Buffer => swapped(Buffer.from(units, 'utf16le'));
  return {
    name: `UTF-16 ${order}${marked ? '' : ' without BOM'}`,
    bom: marked ? fromUnits('\uFEFF') : NO_BOM,
    lineFeed: fromUnits('\n'),
    decode,
    encode: (text) => (text.isWellFormed() ? fromUnits(text) : null),
    toUnits: decode,
    fromUnits,
  };
}

export const UTF8 = utf8(NO_BOM);
export const UTF8_WITH_BOM = utf8(Buffer.from('\uFEFF'));
export const UTF16_LE = utf16('LE', true);
export const UTF16_BE = utf16('BE', true);
export const UTF16_LE_UNMARKED = utf16('LE', false);
export const UTF16_BE_UNMARKED = utf16('BE', false);

/** Latin-1: every byte is a character, so any bytes at all survive it. */
export const LATIN1: TextEncoding = byteEncoding('ISO-8859-1');

/** An older encoding in which each byte, as far as it means something, is one character. */
export function byteEncoding(name: string): TextEncoding {
  return {
    name,
    bom: NO_BOM,
    lineFeed: LINE_FEED,
    decode: (bytes) => iconv.decode(bytes, name),
    encode: (text) => faithful(text, iconv.encode(text, name), name),
    toUnits: (bytes) => bytes.toString('latin1'),
    fromUnits: (units) => Buffer.from(units, 'latin1'),
  };
}

/** An older encoding in which a character may take several bytes; the bytes must be valid in it, see {@link isFaithful}. */
export function multibyteEncoding(name: string): TextEncoding {
  const decode = (bytes: Buffer): string => iconv.decode(bytes, name);
  return {
    ...byteEncoding(name),
    toUnits: decode,
    fromUnits: (text) => iconv.encode(text, name),
  };
}

/** True when decoding loses nothing: encoding the text again gives the same bytes. */
export function isFaithful(encoding: TextEncoding, bytes: Buffer): boolean {
  return encoding.encode(encoding.decode(bytes))?.equals(bytes) ?? false;
}

/** True when the bytes are UTF-8; a sequence that the end of a sample cuts off does not count against it. */
export function isUtf8Text(bytes: Buffer, complete: boolean): boolean {
  if (isUtf8(bytes)) return true;
  return !complete && [1, 2, 3].some((cut) => isUtf8(bytes.subarray(0, bytes.length - cut)));
}

function faithful(text: string, bytes: Buffer, name: string): Buffer | null {
  return iconv.decode(bytes, name) === text ? bytes : null;
}
