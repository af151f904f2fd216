// OpenAI Chat Completions: calls are `tool_calls`, each result is a message of its own, and images follow in one user message.
import type { FinishedCall, OutgoingMessage, ToolUse } from '../contract/index.ts';
import { inputFromArguments, inputOfCustomCall } from './call-input.ts';
import { assertAssistant, collectCalls, wrongShape } from './collect-calls.ts';
import type { FoundCall } from './collect-calls.ts';
import type { Format } from './format.ts';
import { isRecord } from './is-record.ts';
import { createOpenaiChatAssembler } from './openai-chat-stream.ts';
import { imagesOf, resultText } from './openai-content.ts';

export const openaiChat: Format = { readCalls, writeMessages, createAssembler: createOpenaiChatAssembler };

function readCalls(body: unknown): ToolUse[] {
  const { message, prefix } = unwrap(body);
  assertAssistant(message, `${prefix}role`);
  if (isRecord(message['function_call'])) {
    throw wrongShape([
      {
        path: `${prefix}function_call`,
        message: 'is the retired form without ids: declare the tools as "tools", so that the model answers with tool_calls',
      },
    ]);
  }
  return collectCalls({
    path: `${prefix}tool_calls`,
    items: message['tool_calls'] ?? [],
    keys: { id: 'id', name: 'function.name' },
    find: findCall,
  });
}

/** A whole completion holds the message of its only choice. */
function unwrap(body: unknown): { message: Record<string, unknown>; prefix: string } {
  if (!isRecord(body)) throw wrongShape([{ path: '', message: 'must be an object with tool_calls' }]);
  const choices = body['choices'];
  if (choices === undefined) return { message: body, prefix: '' };
  if (!Array.isArray(choices) || choices.length !== 1) {
    throw wrongShape([{ path: 'choices', message: 'must hold exactly one choice: send the message that the conversation goes on with' }]);
  }
  const message: unknown = isRecord(choices[0]) ? choices[0]['message'] : undefined;
  if (!isRecord(message)) throw wrongShape([{ path: 'choices[0].message', message: 'must be an object' }]);
  return { message, prefix: 'choices[0].message.' };
}

function findCall(item: Record<string, unknown>): FoundCall {
  const { id, function: called, custom } = item;
  if (isRecord(custom)) return { id, name: custom['name'], ...inputOfCustomCall(custom['input']) };
  return isRecord(called) ? { id, name: called['name'], ...inputFromArguments(called['arguments']) } : { id, name: undefined, input: {} };
}

function writeMessages(results: readonly FinishedCall[]): OutgoingMessage[] {
  let noted = 0;
  const messages: OutgoingMessage[] = results.map((result) => ({
    role: 'tool',
    tool_call_id: result.toolUseId,
    content: resultText(result, (image) => {
      noted += 1;
      return `[Image ${noted} (${image.source.media_type}) is in the user message after the tool results.]`;
    }),
  }));
  const parts = imageParts(results);
  return parts.length > 0 ? [...messages, { role: 'user', content: parts }] : messages;
}

function imageParts(results: readonly FinishedCall[]) {
  const images = results.flatMap((result) => imagesOf(result).map((image) => ({ result, image })));
  return images.flatMap(({ result, image: { source } }, index) => [
    { type: 'text' as const, text: `Image ${index + 1}, from the result of ${result.name} (call ${result.toolUseId}):` },
    { type: 'image_url' as const, image_url: { url: `data:${source.media_type};base64,${source.data}` } },
  ]);
}
