// OpenAI Responses events: a call is complete at its `response.output_item.done`, which repeats the whole item.
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
  nameCall,
  newStreamedMessage,
  replaceText,
  startMessage,
} from './streamed-message.ts';
import type { CallKey, StreamedMessage } from './streamed-message.ts';

/** Assembles calls from Responses events. Items other than function calls, and event types it does not know, are passed over. */
export function createOpenaiResponsesAssembler(): StreamAssembler {
  const message = newStreamedMessage();
  return { push: (frame) => take(message, frame), hasPartial: () => message.partials.size > 0 };
}

function take(message: StreamedMessage, frame: Record<string, unknown>): AssemblerOutput[] {
  switch (frame['type']) {
    case 'response.created':
      return startMessage(message);
    case 'response.output_item.added':
      return beginItem(message, frame);
    case 'response.function_call_arguments.delta':
      addText(message, keyOf(frame), frame['delta']);
      return [];
    case 'response.function_call_arguments.done':
      takeArguments(message, keyOf(frame), frame['arguments']);
      return [];
    case 'response.output_item.done':
      return finishItem(message, frame);
    case 'response.completed':
    case 'response.incomplete':
      return endMessage(message, true);
    case 'response.failed':
    case 'error':
      return breakOff(message, reasonOf(frame));
    default:
      return [];
  }
}

function beginItem(message: StreamedMessage, frame: Record<string, unknown>): AssemblerOutput[] {
  const item = callItem(frame);
  if (!item) return [];
  const outputs = beginCall(message, keyOf(frame), { id: item['call_id'], name: item['name'] });
  takeArguments(message, keyOf(frame), item['arguments']);
  return outputs;
}

function finishItem(message: StreamedMessage, frame: Record<string, unknown>): AssemblerOutput[] {
  const item = callItem(frame);
  if (!item) return [];
  const key = keyOf(frame);
  const known = { id: item['call_id'], name: item['name'] };
  const outputs = message.partials.has(key) ? nameCall(message, key, known) : beginCall(message, key, known);
  takeArguments(message, key, item['arguments']);
  return [...outputs, ...completeCall(message, key, item['status'] === 'incomplete')];
}

function callItem({ item }: Record<string, unknown>): Record<string, unknown> | null {
  return isRecord(item) && item['type'] === 'function_call' ? item : null;
}

/** Some events of an item tell its place, some proxies only its id. */
function keyOf(frame: Record<string, unknown>): CallKey {
  const { item } = frame;
  return callKey(frame['output_index'] ?? frame['item_id'] ?? (isRecord(item) ? item['id'] : undefined));
}

/** Whole arguments. Empty ones do not outdo what was streamed. */
function takeArguments(message: StreamedMessage, key: CallKey, value: unknown): void {
  if (value === '') return;
  if (typeof value === 'string') replaceText(message, key, value);
  else if (value !== undefined && value !== null) giveInput(message, key, value);
}

function reasonOf(frame: Record<string, unknown>): string {
  const { response, error } = frame;
  return failureReason(isRecord(response) ? response['error'] : (error ?? frame));
}
