// What the server of a tool has answered, as a result. Whatever else came is an error that shows how it begins.
import { z } from 'zod';
import { parsedJson, ResultContentSchema, type ToolResult } from '../contract/index.ts';

/** Keys that are not known are passed over. */
const Answer = z.object(
  { content: ResultContentSchema, is_error: z.boolean({ error: 'Give true or false.' }).nullish() },
  { error: 'Give an object.' },
);

/** Characters of an answer that an error shows. */
const SHOWN_CHARS = 1_000;
const MAX_ISSUES = 5;
const EXPECTED = 'JSON such as {"content": "…", "is_error": false}, whose content is text or blocks of type text, image and document';

/** @throws Error that says what came instead */
export function readAnswer(text: string): ToolResult {
  const parsed = Answer.safeParse(parse(text));
  if (!parsed.success) throw wrong(`is not of the form it must have (${wordsOf(parsed.error.issues)})`, text);
  const { content, is_error } = parsed.data;
  return { content, isError: is_error === true };
}

function parse(text: string): unknown {
  if (text.trim() === '') throw wrong('is empty', text);
  const value = parsedJson(text);
  // Where it stops to be JSON tells less than how it begins.
  if (value === undefined) throw wrong('is not JSON', text);
  return value;
}

function wrong(fault: string, text: string): Error {
  return new Error(`The answer of this tool's server ${fault}. It must be ${EXPECTED}.${quoted(text)}`);
}

/** How a text begins, as a sentence; nothing of an empty one. */
export function quoted(text: string): string {
  const shown = text.trim();
  if (shown === '') return '';
  const head = shown.slice(0, SHOWN_CHARS).toWellFormed();
  return shown.length > SHOWN_CHARS ? ` It begins with: ${head}…` : ` It says: ${head}`;
}

/** What is wrong with which key. */
function wordsOf(issues: readonly z.core.$ZodIssue[]): string {
  const words = issues.slice(0, MAX_ISSUES).map(({ path, message }) => `${path.map(String).join('.') || 'the whole'}: ${message}`);
  return words.join('; ');
}
