// What a text may also mean, and what text a number or boolean is. Nothing is rounded, guessed or completed.
import { MAX_DEPTH } from './coerce-bounded.ts';

/** Characters of JSON text that one coercion parses at most. */
const MAX_PARSED_CHARS = 4_000_000;
const NUMBER = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(?:[eE]([+-]?\d+))?$/;
const JSON_TOKEN = /"(?:[^"\\]+|\\.)*"|-?\d[\d.eE+-]*|[[\]{}]/g;

/** The null, boolean or number that a text spells; a number only when it is exactly that number. */
export function readScalar(text: string): { readonly value: null | boolean | number } | undefined {
  const word = text.trim();
  if (word.length <= 5) {
    const lower = word.toLowerCase();
    if (lower === 'null') return { value: null };
    if (lower === 'true' || lower === 'false') return { value: lower === 'true' };
  }
  const value = readNumber(word);
  return value === undefined ? undefined : { value };
}

function readNumber(word: string): number | undefined {
  const match = NUMBER.exec(word);
  if (match === null) return undefined;
  const value = Number(word);
  if (!isExact(word, value)) return undefined;
  if (match[3] === undefined && Number.isInteger(value) && !Number.isSafeInteger(value)) return undefined;
  return value === 0 ? 0 : value;
}

/** The text of a number or boolean. None for a whole number that was rounded before we saw it. */
export function writeScalar(value: unknown): string | undefined {
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
}

/** True for texts that are not one element of a list but an encoding of the list itself, or of nothing. */
export function looksEncoded(text: string): boolean {
  return /^\s*(?:[[{]|\(\s*['"]|null\s*$|None\s*$)/.test(text);
}

export type ContainerParser = (text: string) => object | undefined;

/** Parses JSON texts of objects and lists; gives nothing for broken ones and for those that JavaScript would not hold faithfully. */
export function createContainerParser(): ContainerParser {
  const parsed = new Map<string, object | undefined>();
  let left = MAX_PARSED_CHARS;
  return (text) => {
    if (!/^\s*[[{]/.test(text)) return undefined;
    if (parsed.has(text)) return parsed.get(text);
    left -= text.length;
    const value = left < 0 ? undefined : parseFaithfully(text);
    parsed.set(text, value);
    return value;
  };
}

function parseFaithfully(text: string): object | undefined {
  try {
    const value = JSON.parse(text.trim()) as object;
    return isFaithful(text) ? value : undefined;
  } catch {
    // Text that is not JSON stays what it is; the validator then says so.
    return undefined;
  }
}

/** Whether valid JSON text nests within bounds and has no number that parsing changes. */
function isFaithful(text: string): boolean {
  let depth = 0;
  for (const [token] of text.matchAll(JSON_TOKEN)) {
    if (token === '[' || token === '{') depth += 1;
    else if (token === ']' || token === '}') depth -= 1;
    else if (!token.startsWith('"') && !isExact(token, Number(token))) return false;
    if (depth > MAX_DEPTH) return false;
  }
  return true;
}

/** Whether a number's shortest text has the same digits and exponent as the text it was read from; fifteen digits always have. */
function isExact(text: string, value: number): boolean {
  if (text.length <= 15 && !/e/i.test(text)) return true;
  const asked = decimal(text);
  const kept = decimal(String(value));
  return asked.digits === kept.digits && asked.exponent === kept.exponent;
}

/** A decimal numeral as digits without zeros at either end, to be multiplied by ten to the exponent. The sign is left out. */
function decimal(text: string): { digits: string; exponent: number } {
  const [, , mantissa = '', power = '0'] = NUMBER.exec(text) ?? [];
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/(?<!0)0+$/, '');
  if (significant === '') return { digits: '', exponent: 0 };
  return { digits: significant, exponent: Number(power) - fraction.length + digits.length - significant.length };
}
