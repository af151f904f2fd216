// OpenAI Responses API: calls are `function_call` items of the output, each result is an item of its own. Calls of other kinds
// (custom, computer, shell, …) are passed over: they want outputs of their own type from the caller who declared them.
import type { FinishedCall, OutgoingMessage, ToolUse } from '../contract/index.ts';
import { inputFromArguments } from './call-input.ts';
import { assertAssistant, collectCalls, wrongShape } from './collect-calls.ts';
import type { Format } from './format.ts';
import { isRecord } from './is-record.ts';
import { resultText, sizeOf } from './openai-content.ts';
import { createOpenaiResponsesAssembler } from './openai-responses-stream.ts';

export const openaiResponses: Format = { readCalls, writeMessages, createAssembler: createOpenaiResponsesAssembler };

function readCalls(body: unknown): ToolUse[] {
  return collectCalls({
    ...itemsOf(body),
    keys: { id: 'call_id', name: 'name' },
    find: (item) =>
      item['type'] === 'function_call' ? { id: item['call_id'], name: item['name'], ...inputFromArguments(item['arguments']) } : null,
  });
}

/** The items lie in a response's `output`, in a bare array, or there is one bare item. */
function itemsOf(body: unknown): { path: string; items: unknown } {
  if (Array.isArray(body)) return { path: '', items: body };
  if (!isRecord(body)) throw wrongShape([{ path: '', message: 'must be an object with an output' }]);
  if (body['type'] === 'function_call') return { path: '', items: [body] };
  assertAssistant(body);
  return { path: 'output', items: body['output'] };
}

function writeMessages(results: readonly FinishedCall[]): OutgoingMessage[] {
  return results.map((result) => ({
    type: 'function_call_output',
    call_id: result.toolUseId,
    output: resultText(
      result,
      ({ source }) => `[An image is left out here: ${source.media_type}, ${sizeOf(source.data)}. This format carries text only.]`,
    ),
  }));
}
