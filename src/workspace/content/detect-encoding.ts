// From bytes to an encoding: marks first, then NUL (which only UTF-16 text may hold), then UTF-8, and only then a guess.
import { Buffer } from 'node:buffer';
import chardet from 'chardet';
import type { TextEncoding } from './text-encoding.ts';
import {
  byteEncoding,
  isFaithful,
  isUtf8Text,
  LATIN1,
  multibyteEncoding,
  UTF16_BE,
  UTF16_BE_UNMARKED,
  UTF16_LE,
  UTF16_LE_UNMARKED,
  UTF8,
  UTF8_WITH_BOM,
} from './text-encoding.ts';

/** Confidence, of 100, from which a guess other than Latin-1 is believed. Below it guesses are little better than chance. */
const BELIEVED = 50;
/** Bytes beyond ASCII from which a guess among the one-byte encodings has something to go by. */
const ONE_BYTE_EVIDENCE = 12;
/** Good characters beyond ASCII for each bad one from which bytes count as UTF-8 with damaged places. */
const GOOD_FOR_BAD = 10;
/** Bytes before and after the first one beyond ASCII that a guess looks at. */
const SAMPLE_BEFORE = 1024;
const SAMPLE_AFTER = 64 * 1024;

const MULTIBYTE = new Set(['Shift_JIS', 'GB18030', 'EUC-JP', 'EUC-KR', 'Big5']);
const ONE_BYTE = /^(ISO-8859-|windows-|KOI8-)/;

/**
 * The encoding of a text file's bytes; `null` when they are no text.
 * @param options `complete: false` when the bytes are only the beginning of a file
 */
export function detectEncoding(bytes: Buffer, { complete = true }: { complete?: boolean } = {}): TextEncoding | null {
  if (isMarked(bytes, UTF8_WITH_BOM) && isUtf8Text(bytes, complete) && !bytes.includes(0)) return UTF8_WITH_BOM;
  for (const encoding of [UTF16_LE, UTF16_BE]) {
    if (isMarked(bytes, encoding) && isUtf16Text(encoding, bytes.subarray(2), complete)) return encoding;
  }
  if (bytes.includes(0)) return unmarkedUtf16(bytes, complete);
  return isUtf8Text(bytes, complete) ? UTF8 : guess(bytes);
}

function isMarked(bytes: Buffer, { bom }: TextEncoding): boolean {
  return bytes.subarray(0, bom.length).equals(bom);
}

function unmarkedUtf16(bytes: Buffer, complete: boolean): TextEncoding | null {
  // In mostly western text the upper byte of nearly every unit is NUL, the lower byte never.
  const first = bytes.indexOf(0);
  const encoding = first % 2 === 1 ? UTF16_LE_UNMARKED : UTF16_BE_UNMARKED;
  return isUtf16Text(encoding, bytes, complete) ? encoding : null;
}

function isUtf16Text(encoding: TextEncoding, bytes: Buffer, complete: boolean): boolean {
  if (complete && bytes.length % 2 !== 0) return false;
  const text = encoding.decode(bytes);
  // oxlint-disable-next-line no-control-regex -- Control characters are what tells numbers from text.
  if (/[\u0000-\u0008\u000E-\u001A\u001C-\u001F\uFFFE\uFFFF]/.test(text)) return false;
  return text.isWellFormed() || (!complete && text.slice(0, -1).isWellFormed());
}

function guess(bytes: Buffer): TextEncoding {
  const units = bytes.toString('latin1');
  const first = units.search(/[\u0080-\u00FF]/);
  const sample = bytes.subarray(Math.max(0, first - SAMPLE_BEFORE), first + SAMPLE_AFTER);
  if (isDamagedUtf8(sample)) return UTF8;
  const believed = older(sample);
  if (believed && isFaithful(believed, bytes)) return believed;
  const windows = byteEncoding('windows-1252');
  return /[\u0080-\u009F]/.test(units) && isFaithful(windows, bytes) ? windows : LATIN1;
}

function isDamagedUtf8(sample: Buffer): boolean {
  const beyondAscii = sample.toString('utf8').match(/[^\p{ASCII}]/gu) ?? [];
  const bad = beyondAscii.filter((character) => character === '\uFFFD').length;
  return beyondAscii.length - bad > bad * GOOD_FOR_BAD;
}

/** The encoding other than Latin-1 that the sample is most likely in; `null` when there is too little to tell. */
function older(sample: Buffer): TextEncoding | null {
  const [best] = chardet.analyse(sample);
  if (!best || best.confidence < BELIEVED || best.name === 'ISO-8859-1') return null;
  if (MULTIBYTE.has(best.name)) return multibyteEncoding(best.name);
  const evidence = sample.filter((byte) => byte > 0x7f).length;
  return ONE_BYTE.test(best.name) && evidence >= ONE_BYTE_EVIDENCE ? byteEncoding(best.name) : null;
}
