// Anthropic Messages API: calls are `tool_use` blocks, all results go back in one user message.
import type { FinishedCall, OutgoingMessage, ToolUse } from '../contract/index.ts';
import { createAnthropicAssembler } from './anthropic-stream.ts';
import { inputFromValue } from './call-input.ts';
import { assertAssistant, collectCalls, wrongShape } from './collect-calls.ts';
import type { Format } from './format.ts';
import { isRecord } from './is-record.ts';

export const anthropic: Format = { readCalls, writeMessages, createAssembler: createAnthropicAssembler };

function readCalls(message: unknown): ToolUse[] {
  if (!isRecord(message)) throw wrongShape([{ path: '', message: 'must be an object with a content' }]);
  assertAssistant(message);
  const content = message['content'];
  if (typeof content === 'string') return [];
  if (!Array.isArray(content)) throw wrongShape([{ path: 'content', message: 'must be a string or an array of blocks' }]);
  return collectCalls({
    path: 'content',
    items: content,
    keys: { id: 'id', name: 'name' },
    find: (block) => (block['type'] === 'tool_use' ? { id: block['id'], name: block['name'], ...inputFromValue(block['input']) } : null),
  });
}

function writeMessages(results: readonly FinishedCall[]): OutgoingMessage[] {
  if (results.length === 0) return [];
  return [
    {
      role: 'user',
      content: results.map(({ toolUseId, content, isError }) => ({
        type: 'tool_result',
        tool_use_id: toolUseId,
        content,
        is_error: isError,
      })),
    },
  ];
}
