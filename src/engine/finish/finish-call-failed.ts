// What a model gets of a call that failed: text of at most 10,000 characters in all, sanitised, and, where that is not
// everything, a note on the file that holds it. The note comes after the last cut, so that it is true.
import { textOf, type ResultContent, type ToolResult } from '../../contract/index.ts';
import { emptyResultText, isEmpty, mapText, withText } from './finish-call-text.ts';
import { keepWhole, noteOn, type WholeOutput } from './finish-call-whole.ts';
import {
  MAX_ERROR_CHARS,
  sanitizeError,
  sanitizeWithin,
  wrapToolError,
  WRAPPER_CHARS,
  type DescribeGap,
} from '../sanitize/sanitize-error.ts';

/** Characters of the reason that stands under what a stopped tool has said. */
const MAX_REASON_CHARS = 1_000;

export interface FailedCall extends WholeOutput {
  readonly name: string;
  /** What the tool itself said; absent when it threw, or never ran. */
  readonly result: ToolResult | undefined;
  /** Why the call failed, when the tool did not say it itself. */
  readonly message: string | undefined;
  /** Characters of a result that the tool wants shown. */
  readonly maxResultChars: number;
}

export async function failedContent(call: FailedCall): Promise<ResultContent> {
  const { result, message } = call;
  if (result === undefined) return wrapToolError(await reasonWithin(MAX_ERROR_CHARS - WRAPPER_CHARS, message ?? 'The call failed.', call));
  if (message === undefined) return saidWithin(MAX_ERROR_CHARS, result, call);
  const reason = wrapToolError(sanitizeError(message, MAX_REASON_CHARS));
  const said = await saidWithin(MAX_ERROR_CHARS - reason.length - 1, result, call);
  // The line end belongs to what is looked at: the wrapper after it must not complete a marker.
  return typeof said === 'string' ? sanitizeError(`${said}\n`) + reason : [...said, { type: 'text', text: reason }];
}

async function reasonWithin(room: number, message: string, call: FailedCall): Promise<string> {
  const { text, cut } = sanitizeWithin(message, room);
  return cut ? withNote(message, await keepWhole(call, message), { room }) : text;
}

/** What the tool has said. */
async function saidWithin(room: number, result: ToolResult, call: FailedCall): Promise<ResultContent> {
  const { content, spilled } = result;
  if (isEmpty(content)) return emptyResultText(call.name);
  const text = textOf(content);
  const shown = Math.min(room, call.maxResultChars);
  if (spilled !== undefined) {
    const note = noteOn({ totalBytes: spilled.bytes, path: spilled.path });
    return withText(content, withNote(text, note, { room, shown, gap: () => 'more was left out here' }));
  }
  if (!sanitizeWithin(text, shown).cut) return mapText(content, (part) => sanitizeError(part, room));
  return withText(content, withNote(text, await keepWhole(call, text), { room, shown }));
}

interface Bounds {
  /** Characters of text and note together. */
  readonly room: number;
  /** Characters of the text, when fewer. */
  readonly shown?: number;
  /** What stands where the middle was: of a text that is itself a part, no count would be true. */
  readonly gap?: DescribeGap;
}

function withNote(text: string, note: string, { room, shown = room, gap }: Bounds): string {
  const cut = sanitizeWithin(text, Math.min(shown, room - note.length), gap);
  return sanitizeError(cut.text + note, room);
}
