// Anthropic stream events: a call is complete at its `content_block_stop`, the message ends at `message_stop`. Blocks may interleave.
import type { AssemblerOutput, StreamAssembler } from './format.ts';
import { isRecord } from './is-record.ts';
import {
  addText,
  beginCall,
  breakOff,
  callKey,
  completeCall,
  endMessage,
  failureReason,
  giveInput,
  newStreamedMessage,
  startMessage,
} from './streamed-message.ts';
import type { CallKey, StreamedMessage } from './streamed-message.ts';

/** Assembles calls from Anthropic stream events. Blocks of other types, and event types it does not know, are passed over. */
export function createAnthropicAssembler(): StreamAssembler {
  const message = newStreamedMessage();
  return { push: (frame) => take(message, frame), hasPartial: () => message.partials.size > 0 };
}

function take(message: StreamedMessage, frame: Record<string, unknown>): AssemblerOutput[] {
  switch (frame['type']) {
    case 'message_start':
      return startMessage(message);
    case 'content_block_start':
      return startBlock(message, callKey(frame['index']), frame['content_block']);
    case 'content_block_delta':
      addDelta(message, callKey(frame['index']), frame['delta']);
      return [];
    case 'content_block_stop':
      return completeCall(message, callKey(frame['index']));
    case 'message_stop':
      return endMessage(message, true);
    case 'error':
      return breakOff(message, failureReason(frame['error']));
    default:
      return [];
  }
}

function startBlock(message: StreamedMessage, index: CallKey, block: unknown): AssemblerOutput[] {
  if (!isRecord(block) || block['type'] !== 'tool_use') return [];
  const outputs = beginCall(message, index, { id: block['id'], name: block['name'] });
  giveStartInput(message, index, block['input']);
  return outputs;
}

/** The start carries `{}` before streamed text, and the whole input where a provider does not stream it. */
function giveStartInput(message: StreamedMessage, index: CallKey, input: unknown): void {
  const isPlaceholder = input === undefined || (isRecord(input) && Object.keys(input).length === 0);
  if (!isPlaceholder) giveInput(message, index, input);
}

function addDelta(message: StreamedMessage, index: CallKey, delta: unknown): void {
  if (isRecord(delta) && delta['type'] === 'input_json_delta') addText(message, index, delta['partial_json']);
}
