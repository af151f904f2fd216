// One answer of the model, put together from the events of its stream. Arguments of calls stay text until they are whole:
// what is no JSON is told to the model, never repaired.
import type Anthropic from '@anthropic-ai/sdk';
import type { ToolUse } from '../contract/index.ts';
import type { ModelReply, ReadInput } from './ports.ts';

/** Characters of one answer: no model says as much. */
const MAX_CHARS = 16 * 1024 * 1024;
/** Characters of arguments that are no JSON which the model is shown again: the error has the place and the text around it. */
const MAX_SHOWN_AGAIN = 4_000;

/** A stream that ended before its answer did. */
export class BrokenStream extends Error {
  override readonly name = 'BrokenStream';
}

/** @throws BrokenStream when the stream ends too early or is none of the Messages API, and whatever reading it throws */
export async function readReply(
  events: AsyncIterable<Anthropic.RawMessageStreamEvent>,
  { readInput, onText }: { readonly readInput: ReadInput; readonly onText: (text: string) => void },
): Promise<ModelReply> {
  const reply = new OpenReply(onText);
  for await (const event of events) reply.take(event);
  return reply.close(readInput);
}

type Block = Record<string, unknown> & { type: string };

class OpenReply {
  readonly #onText: (text: string) => void;
  readonly #blocks = new Map<number, Block>();
  /** Argument text of the block at that index, in pieces. */
  readonly #pieces = new Map<number, string[]>();
  readonly #usage: { input: number; cacheWrite: number; cacheRead: number; output: number } = {
    input: 0,
    cacheWrite: 0,
    cacheRead: 0,
    output: 0,
  };
  #chars = 0;
  #stopReason: string | null = null;

  constructor(onText: (text: string) => void) {
    this.#onText = onText;
  }

  take(event: Anthropic.RawMessageStreamEvent): void {
    switch (event.type) {
      case 'message_start':
        this.#count(event.message.usage);
        break;
      case 'content_block_start':
        this.#grow(JSON.stringify(event.content_block).length);
        // Of a block only its type is known here: all others come and go as the API has them.
        this.#blocks.set(event.index, { ...(event.content_block as unknown as Block) });
        if (event.content_block.type === 'text') this.#say(event.content_block.text);
        break;
      case 'content_block_delta':
        this.#extend(event.index, event.delta);
        break;
      case 'message_delta':
        this.#stopReason = event.delta.stop_reason ?? this.#stopReason;
        this.#count(event.usage);
        break;
      default:
        break;
    }
  }

  #extend(index: number, delta: Anthropic.RawContentBlockDelta): void {
    const block = this.#blocks.get(index);
    if (block === undefined) throw new BrokenStream('a piece belongs to no block');
    switch (delta.type) {
      case 'text_delta':
        this.#append(block, 'text', delta.text);
        this.#say(delta.text);
        break;
      case 'thinking_delta':
        this.#append(block, 'thinking', delta.thinking);
        break;
      case 'signature_delta':
        block['signature'] = delta.signature;
        break;
      case 'citations_delta':
        this.#grow(JSON.stringify(delta.citation).length);
        block['citations'] = [...(Array.isArray(block['citations']) ? block['citations'] : []), delta.citation];
        break;
      case 'input_json_delta':
        this.#grow(delta.partial_json.length);
        this.#piecesOf(index).push(delta.partial_json);
        break;
      default:
        break;
    }
  }

  #piecesOf(index: number): string[] {
    const pieces = this.#pieces.get(index) ?? [];
    this.#pieces.set(index, pieces);
    return pieces;
  }

  #append(block: Block, key: string, text: string): void {
    this.#grow(text.length);
    block[key] = (typeof block[key] === 'string' ? block[key] : '') + text;
  }

  #say(text: string): void {
    if (text !== '') this.#onText(text);
  }

  #grow(chars: number): void {
    this.#chars += chars + 1;
    if (this.#chars > MAX_CHARS) throw new Error(`its answer is longer than ${MAX_CHARS} characters`);
  }

  /** Totals so far, not additions; what is left out stays as it was. */
  #count(usage: Partial<Anthropic.Usage> | Partial<Anthropic.MessageDeltaUsage> | undefined): void {
    this.#usage.input = usage?.input_tokens ?? this.#usage.input;
    this.#usage.cacheWrite = usage?.cache_creation_input_tokens ?? this.#usage.cacheWrite;
    this.#usage.cacheRead = usage?.cache_read_input_tokens ?? this.#usage.cacheRead;
    this.#usage.output = usage?.output_tokens ?? this.#usage.output;
  }

  close(readInput: ReadInput): ModelReply {
    if (this.#stopReason === null) throw new BrokenStream('it broke off');
    const calls: ToolUse[] = [];
    const content: Block[] = [];
    for (const [index, block] of this.#blocks) {
      const read = this.#inputOf(index, block, readInput);
      if (block.type === 'tool_use')
        calls.push({ id: String(block['id']), name: String(block['name']), ...(read ?? { input: block['input'] ?? {} }) });
      // The API takes no text block back that says nothing.
      if (block.type === 'text' && String(block['text']).trim() === '') continue;
      content.push(read === undefined ? block : { ...block, input: sentBack(read) });
    }
    const { input, cacheWrite, cacheRead, output } = this.#usage;
    return {
      // They came from the API, which takes the blocks of its answers back as they are.
      content: content as unknown as Anthropic.ContentBlockParam[],
      calls,
      text: content.flatMap((block) => (block.type === 'text' ? [String(block['text'])] : [])).join('\n'),
      stopReason: this.#stopReason,
      usage: { inputTokens: input + cacheWrite + cacheRead, outputTokens: output },
    };
  }

  #inputOf(index: number, { type, input }: Block, readInput: ReadInput): ReturnType<ReadInput> | undefined {
    const pieces = this.#pieces.get(index);
    if (pieces !== undefined) return readInput(pieces.join(''));
    return type === 'tool_use' && typeof input === 'string' ? readInput(input) : undefined;
  }
}

/** The API takes only objects as input: text that is none goes back inside of one, so that the model sees what it wrote. */
function sentBack({ input, inputError }: ReturnType<ReadInput>): unknown {
  return inputError === undefined
    ? input
    : { INVALID_JSON: typeof input === 'string' ? input.slice(0, MAX_SHOWN_AGAIN).toWellFormed() : '' };
}
