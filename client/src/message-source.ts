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

export interface CallReader {
  /** @returns the calls that this event completes. @throws Error when it tells that the model has failed */
  readonly push: (event: object) => SourceCall[];
  /** No more events come. @returns the calls that are complete by that */
  readonly end: () => SourceCall[];
}

/** Reads the events of one message, whatever its format. */
export function createCallReader(): CallReader {
  const blocks = new Map<unknown, Partial>();
  const chat: { current: (Partial & { index: unknown }) | null } = { current: null };

  function push(event: object): SourceCall[] {
    const fields = event as Fields;
    if (fields['object'] === 'chat.completion.chunk') return pushChunk(fields);
    const { type } = fields;
    if (type === 'error' || type === 'response.failed') throw new Error(`The model's stream failed: ${failureOf(fields)}`);
    if (type === 'tool_use') return [whole('anthropic', { ...partial(fields), value: fields['input'] })];
    if (type === 'response.output_item.done') return isFunctionCall(fields['item']) ? [responsesCall(fields, fields['item'])] : [];
    return typeof type === 'string' && type.startsWith('content_block_') ? pushBlock(type, fields) : [];
  }

  function pushBlock(type: string, { index, content_block: block, delta }: Fields): SourceCall[] {
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

  function pushChunk({ choices, error }: Fields): SourceCall[] {
    if (isRecord(error)) throw new Error(`The model's stream failed: ${failureOf({ error })}`);
    const choice = Array.isArray(choices) ? choices.filter(isRecord).find((each) => (each['index'] ?? 0) === 0) : undefined;
    const delta = choice?.['delta'];
    const pieces: unknown = isRecord(delta) ? delta['tool_calls'] : undefined;
    const calls = Array.isArray(pieces) ? pieces.filter(isRecord).flatMap(pushPiece) : [];
    const finished = typeof choice?.['finish_reason'] === 'string';
    return finished ? [...calls, ...endChat()] : calls;
  }

  /** A new index begins a call; within one index, a new id does. Some providers repeat the id, some leave out the index. */
  function pushPiece(piece: Fields): SourceCall[] {
    const body = isRecord(piece['function']) ? piece['function'] : isRecord(piece['custom']) ? piece['custom'] : {};
    const known = chat.current;
    const index = piece['index'] ?? known?.index;
    const begins =
      known === null || index !== known.index || (typeof piece['id'] === 'string' && piece['id'] !== '' && piece['id'] !== known.id);
    const before = begins ? endChat() : [];
    const open = begins ? { ...partial({ id: piece['id'], name: body['name'] }), index } : known;
    const given = body['arguments'] ?? body['input'];
    if (typeof given === 'string') open.text += given;
    else if (isRecord(given)) open.value = given;
    chat.current = open;
    return before;
  }

  function endChat(): SourceCall[] {
    const { current } = chat;
    chat.current = null;
    return current === null ? [] : [whole('openai_chat', current)];
  }
  return { push, end: endChat };
}

/** A frame that the service takes in any open turn. Argument text goes as it is: the service says what is wrong with it. */
function whole(format: MessageFormat, { id, name, text, value }: Partial): SourceCall {
  const input = text.trim() === '' ? (value ?? {}) : text;
  return { id, format, frame: { type: 'tool_use', id, name, input } };
}

/** This event holds the whole call. */
function responsesCall({ output_index }: Fields, item: Fields): SourceCall {
  return { id: textOf(item['call_id']), format: 'openai_responses', frame: { type: 'response.output_item.done', output_index, item } };
}

function isFunctionCall(item: unknown): item is Fields {
  return isRecord(item) && item['type'] === 'function_call';
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

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
