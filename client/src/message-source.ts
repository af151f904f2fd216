// A model's message while it streams in, as complete calls. The service starts a call when it is complete, so nothing is
// lost by holding its pieces here until then; and a call that travels whole can be sent a second time, which pieces cannot.
import type { MessageFormat } from './types.ts';

/**
 * What a message may be read from: the events of Anthropic's `messages.stream()` or `create({stream: true})`, the chunks of OpenAI's
 * chat completions, the events of its responses, or plain `tool_use` blocks.
 */
export type MessageSource = Events | PromiseLike<Events>;
type Events = AsyncIterable<object> | Iterable<object>;

/** A call, and the frame that gives it to the service. */
export interface SourceCall {
  readonly id: string;
  readonly format: MessageFormat;
  readonly frame: Readonly<Record<string, unknown>>;
}

type Fields = Readonly<Record<string, unknown>>;

interface Partial {
  id: string;
  name: string;
  text: string;
  /** Input that came as a value: it stands unless text comes, too. */
  value: unknown;
}

/** Reads the events of one message, whatever its format. */
export interface CallReader {
  /** @returns the calls that this event completes. @throws Error when it tells that the model has failed */
  readonly push: (event: object) => SourceCall[];
  /** No more events come. @returns the calls that are complete by that */
  readonly end: () => SourceCall[];
}

/** What has begun and is not complete. */
interface Reading {
  /** Of Anthropic's events, by index. */
  readonly blocks: Map<unknown, Partial>;
  /** Of chat chunks, which bring one call after another. */
  chat: (Partial & { readonly index: unknown }) | null;
}

/** @param format of plain `tool_use` blocks: how their results are to come back */
export function createCallReader(format: MessageFormat = 'anthropic'): CallReader {
  const reading: Reading = { blocks: new Map(), chat: null };
  return { push: (event) => pushEvent(reading, event as Fields, format), end: () => endChat(reading) };
}

function pushEvent(reading: Reading, event: Fields, format: MessageFormat): SourceCall[] {
  if (event['object'] === 'chat.completion.chunk') return pushChunk(reading, event);
  const { type, item } = event;
  if (type === 'error' || type === 'response.failed') throw new Error(`The model's stream failed: ${failureOf(event)}`);
  if (type === 'tool_use') return [whole(format, { ...partial(event), value: event['input'] })];
  if (type === 'response.output_item.done' && isRecord(item) && item['type'] === 'function_call') {
    return [whole('openai_responses', { ...partial({ id: item['call_id'], name: item['name'] }), text: textOf(item['arguments']) })];
  }
  return typeof type === 'string' && type.startsWith('content_block_') ? pushBlock(reading, type, event) : [];
}

function pushBlock({ blocks }: Reading, type: string, { index, content_block: block, delta }: Fields): SourceCall[] {
  if (type === 'content_block_start' && isRecord(block) && block['type'] === 'tool_use') {
    blocks.set(index, { ...partial(block), value: block['input'] });
  }
  const open = blocks.get(index);
  if (open === undefined) return [];
  if (type === 'content_block_delta' && isRecord(delta)) open.text += textOf(delta['partial_json']);
  if (type !== 'content_block_stop') return [];
  blocks.delete(index);
  return [whole('anthropic', open)];
}

function pushChunk(reading: Reading, { choices, error }: Fields): SourceCall[] {
  if (isRecord(error)) throw new Error(`The model's stream failed: ${failureOf({ error })}`);
  const choice = recordsOf(choices).find((each) => (each['index'] ?? 0) === 0);
  const { delta, finish_reason: reason } = choice ?? {};
  const calls = recordsOf(isRecord(delta) ? delta['tool_calls'] : undefined).flatMap((piece) => pushPiece(reading, piece));
  return typeof reason === 'string' ? [...calls, ...endChat(reading)] : calls;
}

/** A new index begins a call; within one index, a new id does. Some providers repeat the id, some leave out the index. */
function pushPiece(reading: Reading, piece: Fields): SourceCall[] {
  const { chat: known } = reading;
  const { id, function: called, custom } = piece;
  const body = isRecord(called) ? called : isRecord(custom) ? custom : {};
  const index = piece['index'] ?? known?.index;
  const begins = known === null || index !== known.index || (typeof id === 'string' && id !== '' && id !== known.id);
  const before = begins ? endChat(reading) : [];
  const open = begins ? { ...partial({ id, name: body['name'] }), index } : known;
  const given = body['arguments'] ?? body['input'];
  if (isRecord(given)) open.value = given;
  else open.text += textOf(given);
  reading.chat = open;
  return before;
}

function endChat(reading: Reading): SourceCall[] {
  const { chat } = reading;
  reading.chat = null;
  return chat === null ? [] : [whole('openai_chat', chat)];
}

/** A frame that can be sent a second time. Argument text goes as it is: the service says what is wrong with it. */
function whole(format: MessageFormat, { id, name, text, value }: Partial): SourceCall {
  const input = text.trim() === '' ? (value ?? {}) : text;
  if (format !== 'openai_responses') return { id, format, frame: { type: 'tool_use', id, name, input } };
  const item = { type: 'function_call', call_id: id, name, arguments: typeof input === 'string' ? input : JSON.stringify(input) };
  return { id, format, frame: { type: 'response.output_item.done', item } };
}

function partial({ id, name }: Fields): Partial {
  return { id: textOf(id), name: textOf(name), text: '', value: undefined };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function failureOf({ error, response, message }: Fields): string {
  const told = isRecord(response) ? response['error'] : error;
  return textOf(isRecord(told) ? told['message'] : message) || 'it does not say why.';
}

function recordsOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
