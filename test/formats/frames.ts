// Streams of the three APIs, built from calls and from where their argument text is cut.
import type { FinishedCall, MessageFormat, ToolUse } from '../../src/contract/index.ts';
import type { AssemblerOutput } from '../../src/formats/format.ts';
import { formats } from '../../src/formats/formats.ts';

export type Frame = Record<string, unknown>;

/** A call as a stream brings it: its argument text in pieces. */
export interface StreamedCall {
  readonly id: string;
  readonly name: string;
  readonly pieces: readonly string[];
}

/** Everything one assembler makes of some frames. */
export function assemble(format: MessageFormat, frames: readonly Frame[]): AssemblerOutput[] {
  const assembler = formats[format].createAssembler();
  return frames.flatMap((frame) => assembler.push(frame));
}

export function callsOf(outputs: readonly AssemblerOutput[]): ToolUse[] {
  return outputs.flatMap((output) => (output.type === 'call' ? [output.call] : []));
}

export function kindsOf(outputs: readonly AssemblerOutput[]): string[] {
  return outputs.map((output) => output.type);
}

/** The argument text of one call alone, whole. */
export function textCall(id: string, text: string): StreamedCall {
  return { id, name: 'Read', pieces: [text] };
}

export function finished(content: FinishedCall['content'], more: Partial<FinishedCall> = {}): FinishedCall {
  return { toolUseId: 'call_1', name: 'Read', content, isError: false, ...more };
}

export const streams: { readonly [Name in MessageFormat]: (calls: readonly StreamedCall[]) => Frame[] } = {
  anthropic: anthropicFrames,
  openai_chat: chatFrames,
  openai_responses: responsesFrames,
};

export const messages: { readonly [Name in MessageFormat]: (calls: readonly StreamedCall[]) => unknown } = {
  anthropic: (calls) => ({
    role: 'assistant',
    content: calls.map(({ id, name, pieces }) => ({ type: 'tool_use', id, name, input: JSON.parse(pieces.join('') || '{}') })),
  }),
  openai_chat: (calls) => ({
    role: 'assistant',
    tool_calls: calls.map(({ id, name, pieces }) => ({ id, type: 'function', function: { name, arguments: pieces.join('') } })),
  }),
  openai_responses: (calls) => ({
    output: calls.map(({ id, name, pieces }) => ({ type: 'function_call', id: `fc_${id}`, call_id: id, name, arguments: pieces.join('') })),
  }),
};

export function anthropicFrames(calls: readonly StreamedCall[]): Frame[] {
  return [
    { type: 'message_start', message: { role: 'assistant', content: [] } },
    { type: 'ping' },
    ...calls.flatMap(({ id, name, pieces }, index) => [
      { type: 'content_block_start', index, content_block: { type: 'tool_use', id, name, input: {} } },
      ...pieces.map((text) => ({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: text } })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
    { type: 'message_stop' },
  ];
}

/** One chat chunk that carries a delta. */
export function chunk(delta: Frame, more: { finish?: string; id?: string } = {}): Frame {
  return {
    id: more.id ?? 'chatcmpl-1',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: more.finish ?? null }],
  };
}

/** One chat chunk that carries a piece of a call. */
export function piece(index: number | undefined, call: { id?: string; name?: string; arguments?: unknown }): Frame {
  const { id, ...called } = call;
  return chunk({ tool_calls: [{ ...(index === undefined ? {} : { index }), ...(id === undefined ? {} : { id }), function: called }] });
}

export function chatFrames(calls: readonly StreamedCall[]): Frame[] {
  return [
    chunk({ role: 'assistant', content: null }),
    ...calls.flatMap(({ id, name, pieces }, index) => [
      piece(index, { id, name, arguments: '' }),
      ...pieces.map((text) => piece(index, { arguments: text })),
    ]),
    chunk({}, { finish: 'tool_calls' }),
    { id: 'chatcmpl-1', object: 'chat.completion.chunk', choices: [], usage: { total_tokens: 12 } },
  ];
}

export function responsesFrames(calls: readonly StreamedCall[]): Frame[] {
  return [
    { type: 'response.created', response: { status: 'in_progress' } },
    { type: 'response.in_progress', response: {} },
    ...calls.flatMap(({ id, name, pieces }, index) => {
      const item = { type: 'function_call', id: `fc_${id}`, call_id: id, name };
      const place = { output_index: index, item_id: item.id };
      const text = pieces.join('');
      return [
        { type: 'response.output_item.added', output_index: index, item: { ...item, arguments: '', status: 'in_progress' } },
        ...pieces.map((delta) => ({ type: 'response.function_call_arguments.delta', ...place, delta })),
        { type: 'response.function_call_arguments.done', ...place, arguments: text },
        { type: 'response.output_item.done', output_index: index, item: { ...item, arguments: text, status: 'completed' } },
      ];
    }),
    { type: 'response.completed', response: {} },
  ];
}
