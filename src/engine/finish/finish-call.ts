// Makes an ending fit for the model: error texts sanitised, long text cut and kept whole in a file, views drawn, and no text
// with half of a character.
import {
  headOf,
  messageOf,
  textOf,
  type ResultContent,
  type Tool,
  type ToolResult,
  type ToolUse,
  type View,
} from '../../contract/index.ts';
import { failedContent } from './finish-call-failed.ts';
import { emptyResultText, isEmpty, withText } from './finish-call-text.ts';
import { keepWhole, noteOn, type WholeOutput } from './finish-call-whole.ts';
import { needsSanitizing } from '../sanitize/sanitize-error.ts';
import { wellFormed } from '../sanitize/well-formed.ts';
import type { CallEnding } from '../call/call-case.ts';

export interface CallFinish {
  readonly content: ResultContent;
  readonly isError: boolean;
  /** Its error text held something that no model gets. */
  readonly sanitized?: true;
  readonly view: View;
}

export interface FinishRequest extends WholeOutput {
  readonly use: ToolUse;
  readonly tool: Tool | undefined;
  /** Coerced input; `undefined` when the call was refused before it had one. */
  readonly input: unknown;
  readonly ending: CallEnding;
}

/** Never throws: what cannot be kept or drawn is said in the text. */
export async function finishCall(request: FinishRequest): Promise<CallFinish> {
  const { ending } = request;
  const isError = ending.outcome !== 'ok';
  const content = wellFormed(await contentOf(request, isError));
  const sanitized = isError && needsSanitizing(ending.message ?? textOf(ending.result?.content ?? ''));
  return { content, isError, view: wellFormed(viewOf(request, content)), ...(sanitized && { sanitized }) };
}

function contentOf(request: FinishRequest, isError: boolean): Promise<ResultContent> {
  const { use, tool, ending, outputs, outputFile } = request;
  const { result, message } = ending;
  const call = { name: use.name, outputs, outputFile, maxResultChars: tool?.maxResultChars ?? Infinity };
  return isError || result === undefined ? failedContent({ ...call, result, message }) : shownContent(call, result);
}

/** What a model gets of a call that went well: the head of its text, and where the rest is. */
async function shownContent(call: WholeOutput & { name: string; maxResultChars: number }, result: ToolResult): Promise<ResultContent> {
  const { content, spilled } = result;
  if (isEmpty(content)) return emptyResultText(call.name);
  const text = textOf(content);
  const head = headOf(text, call.maxResultChars);
  if (spilled !== undefined) return withText(content, head + noteOn({ totalBytes: spilled.bytes, path: spilled.path }));
  return head.length < text.length ? withText(content, head + (await keepWhole(call, text, head.length))) : content;
}

function viewOf(request: FinishRequest, content: ResultContent): View {
  const { tool, input, ending, use } = request;
  const message = textOf(content);
  try {
    if (tool === undefined) return { title: use.name, subtitle: 'unknown tool', body: { kind: 'text', text: message } };
    if (ending.outcome === 'denied') return tool.renderRejected(input, message);
    if (ending.result !== undefined) return tool.renderResult(input, { ...ending.result, content });
    return tool.renderError(input, message);
  } catch (error) {
    return { title: use.name, subtitle: `its view could not be drawn: ${messageOf(error)}`, body: { kind: 'text', text: message } };
  }
}
