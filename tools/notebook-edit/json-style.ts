// How a file writes JSON, so that what is new in it looks like what was there.
import type { Container, Part } from './json-text.ts';

export interface Style {
  /** What ends a line. */
  readonly newline: string;
  /** Blanks that a line has more than the one of the member around it; `null` when all stands on one line. */
  readonly indent: string | null;
  /** Blanks after a comma on one line. */
  readonly gap: string;
  /** What stands between a name and its value. */
  readonly colon: string;
  /** Characters beyond ASCII are written as escapes. */
  readonly ascii: boolean;
}

export type Json = string | number | null | readonly Json[] | { readonly [name: string]: Json };

/** An escape of a character beyond ASCII; those of control characters tell nothing. */
const ESCAPED = /(?<!\\)(?:\\\\)*\\u(?!00[0-7])/;
const BEYOND_ASCII = /[\u0080-\uffff]/g;

/**
 * @param root the whole of a file, with a member at least
 * @param text the same as text
 */
export function styleOf({ parts }: Container, text: string): Style {
  const [first, second] = parts;
  const lead = first?.lead ?? '';
  const inLines = indentOf(lead);
  return {
    newline: /\r\n|\n|\r/.exec(lead)?.[0] ?? '\n',
    indent: inLines,
    gap: inLines === null ? (second?.lead ?? ' ') : ' ',
    colon: /[^"]*$/.exec(first?.label ?? '"": ')?.[0] ?? ': ',
    ascii: ESCAPED.test(text) && text.search(BEYOND_ASCII) === -1,
  };
}

/** The blanks that a line begins with, from what stands before its first member; `null` when that is on the same line. */
export function indentOf(lead: string): string | null {
  const end = Math.max(lead.lastIndexOf('\n'), lead.lastIndexOf('\r'));
  return end === -1 ? null : lead.slice(end + 1);
}

/** What stands before a member that is not the first. */
export function leadBetween(parts: readonly Part[], { gap }: Style): string {
  const [first, second] = parts;
  return second?.lead ?? (first !== undefined && indentOf(first.lead) !== null ? first.lead : gap);
}

/** @param lead what stands before the member that the value belongs to */
export function printJson(value: Json, lead: string, style: Style): string {
  if (typeof value === 'string') return printText(value, style);
  if (typeof value !== 'object' || value === null) return String(value);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const base = style.indent === null ? null : indentOf(lead);
  const before = base === null ? '' : style.newline + base + (style.indent ?? '');
  const members = Array.isArray(value)
    ? value.map((item: Json) => printJson(item, before, style))
    : Object.entries(value).map(([name, item]) => printText(name, style) + style.colon + printJson(item, before, style));
  if (members.length === 0) return `${open}${close}`;
  const end = base === null ? '' : style.newline + base;
  return `${open}${before}${members.join(base === null ? `,${style.gap}` : `,${before}`)}${end}${close}`;
}

function printText(text: string, { ascii }: Style): string {
  const printed = JSON.stringify(text);
  if (!ascii) return printed;
  return printed.replace(BEYOND_ASCII, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
