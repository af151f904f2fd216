// Makes an ending fit for the model: error texts sanitised, long text cut and kept whole in a file, views drawn.
import type { ContentBlock, OutputFiles, ResultContent, Tool, ToolResult, ToolUse, View } from '../contract/index.ts';
import { boundText, describeCut, emptyResultText } from './bound-output.ts';
import { messageOf } from './message-of.ts';
import type { CallEnding } from './run-call.ts';
import { sanitizeError, wrapToolError } from './sanitize-error.ts';

export interface CallFinish {
  readonly content: ResultContent;
  readonly isError: boolean;
  readonly view: View;
}

export interface FinishRequest {
  readonly use: ToolUse;
  readonly tool: Tool | undefined;
  /** Coerced input; `undefined` when the call was refused before it had one. */
  readonly input: unknown;
  readonly ending: CallEnding;
  readonly outputs: OutputFiles;
  readonly outputFile: string;
}

/** Never throws: what cannot be kept or drawn is said in the text. */
export async function finishCall(request: FinishRequest): Promise<CallFinish> {
  const { ending } = request;
  const isError = ending.outcome !== 'ok';
  const content = await contentOf(request, isError);
  return { content, isError, view: viewOf(request, content) };
}

async function contentOf(request: FinishRequest, isError: boolean): Promise<ResultContent> {
  const { result, message } = request.ending;
  if (result === undefined) return wrapToolError(message ?? 'The call failed.');
  const bounded = await bound(request, result);
  if (!isError) return bounded;
  const said = mapText(bounded, (text) => sanitizeError(text));
  return message === undefined ? said : appendText(said, wrapToolError(message));
}

async function bound(request: FinishRequest, result: ToolResult): Promise<ResultContent> {
  const text = textOf(result.content);
  if (text === '' && !hasMedia(result.content)) return emptyResultText(request.use.name);
  const limit = request.tool?.maxResultChars ?? Infinity;
  const head = boundText(text, limit);
  if (result.spilled !== undefined) {
    return withText(result.content, head.text + note(head.text.length, result.spilled.bytes, result.spilled.path));
  }
  if (!head.cut) return result.content;
  try {
    const bytes = await request.outputs.write(request.outputFile, text);
    return withText(result.content, head.text + note(head.text.length, bytes, request.outputFile));
  } catch (error) {
    return withText(result.content, `${head.text}\n\n[The rest was cut and could not be kept: ${messageOf(error)}]`);
  }
}

function note(shownChars: number, totalBytes: number, path: string): string {
  return `\n\n${describeCut({ shownChars, totalBytes, path })}`;
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

function textOf(content: ResultContent): string {
  if (typeof content === 'string') return content;
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

function hasMedia(content: ResultContent): boolean {
  return typeof content !== 'string' && content.some((block) => block.type !== 'text');
}

function mapText(content: ResultContent, change: (text: string) => string): ResultContent {
  if (typeof content === 'string') return change(content);
  return content.map((block): ContentBlock => (block.type === 'text' ? { type: 'text', text: change(block.text) } : block));
}

/** All text blocks become this one text; the others stay. */
function withText(content: ResultContent, text: string): ResultContent {
  if (typeof content === 'string') return text;
  return [{ type: 'text', text }, ...content.filter((block) => block.type !== 'text')];
}

function appendText(content: ResultContent, text: string): ResultContent {
  if (typeof content === 'string') return content === '' ? text : `${content}\n${text}`;
  return [...content, { type: 'text', text }];
}
