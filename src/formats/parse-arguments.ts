// The arguments of a call that came as text: strictly parsed, never repaired or completed.
import { messageOf } from '../contract/index.ts';
import { isRecord } from './is-record.ts';
import { exceedsDepth } from './json-depth.ts';
import { unexpectedTokenOffset } from './unexpected-token.ts';

/** Characters of argument text that one call, and one streamed message in all, may have. */
export const MAX_ARGUMENT_CHARS = 10 * 1024 * 1024;
/** Levels of arrays and objects that an input may be nested. */
export const MAX_ARGUMENT_DEPTH = 100;

const SHOWN_BEFORE = 200;
const SHOWN_AFTER = 100;

/** What the model is told about an input that is nested too deep. */
export const TOO_DEEP = `The arguments are nested more than ${MAX_ARGUMENT_DEPTH} levels deep. Send a flatter JSON object.`;
/** What the model is told about arguments that are over the limit. */
export const TOO_LONG = `The arguments are longer than ${MAX_ARGUMENT_CHARS} characters. Send less in one call.`;

/**
 * Parses the argument text of one call: one JSON object; blank text stands for `{}`. The error is written for the model:
 * it shows where the parser stopped and the text around that place.
 */
export function parseArguments(text: string): { input: unknown } | { error: string } {
  if (text.length > MAX_ARGUMENT_CHARS) return { error: TOO_LONG };
  if (text.trim() === '') return { input: {} };
  let input: unknown;
  try {
    input = JSON.parse(text);
  } catch (error) {
    return { error: describeFault(text, messageOf(error)) };
  }
  if (!isRecord(input)) {
    const sent = input === null ? 'null' : Array.isArray(input) ? 'an array' : `a ${typeof input}`;
    return { error: `The arguments must be one JSON object, like {"key": "value"}, not ${sent}: ${excerpt(text, 0)}` };
  }
  return exceedsDepth(input, MAX_ARGUMENT_DEPTH) ? { error: TOO_DEEP } : { input };
}

function describeFault(text: string, message: string): string {
  const { reason, offset } = locate(text, message);
  const { line, column } = placeOf(text, offset);
  const place = `position ${offset} (line ${line} column ${column})`;
  return `The arguments are not valid JSON: ${reason} at ${place}. Send the call again with one complete JSON object. The text there: ${excerpt(text, offset)}`;
}

function locate(text: string, message: string): { reason: string; offset: number } {
  const told = /^(.*?) at position (\d+)/.exec(message);
  if (told?.[1]) return { reason: told[1], offset: Number(told[2]) };
  if (message.startsWith('Unexpected end')) return { reason: 'The text ends too early', offset: text.length };
  const offset = unexpectedTokenOffset(text);
  return { reason: `Unexpected token '${String.fromCodePoint(text.codePointAt(offset) ?? 0xfffd)}'`, offset };
}

function placeOf(text: string, offset: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1 && end < offset; end = text.indexOf('\n', start)) {
    line += 1;
    start = end + 1;
  }
  return { line, column: offset - start + 1 };
}

/** The text around an offset, cut to size without splitting a surrogate pair. */
function excerpt(text: string, offset: number): string {
  let from = Math.max(0, offset - SHOWN_BEFORE);
  let to = Math.min(text.length, offset + SHOWN_AFTER);
  if (splitsPair(text, from)) from += 1;
  if (splitsPair(text, to)) to -= 1;
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}

function splitsPair(text: string, at: number): boolean {
  return at > 0 && (text.codePointAt(at - 1) ?? 0) > 0xffff;
}
