// Messages of models as their streams bring them, in small pieces.
export interface StreamedCall {
  readonly id: string;
  readonly name: string;
  /** Argument text, JSON or not. */
  readonly json: string;
}

let messages = 0;

/** Calls that each append a line to `log`, whose ids nobody else has. */
export function numbered(count: number): StreamedCall[] {
  messages += 1;
  return Array.from({ length: count }, (_, index) => ({
    id: `call_${messages}_${index}`,
    name: 'Bash',
    json: JSON.stringify({ command: `echo line ${index} >> log; echo out ${index}` }),
  }));
}

/** What happens between the pieces: time passes, connections drop. */
export type Between = (piece: number, event: object) => unknown;

async function* paced(events: Iterable<object>, between: Between = () => undefined): AsyncGenerator<object> {
  let piece = 0;
  for (const event of events) {
    yield event;
    await between(piece, event);
    piece += 1;
  }
}

function pieces(text: string): string[] {
  return text.match(/.{1,7}/gs) ?? [];
}

export function anthropicEvents(calls: readonly StreamedCall[], between?: Between): AsyncIterable<object> {
  const blocks = calls.flatMap(({ id, name, json }, at) => {
    const index = at + 1;
    return [
      { type: 'content_block_start', index, content_block: { type: 'tool_use', id, name, input: {} } },
      ...pieces(json).map((partial_json) => ({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } })),
      { type: 'content_block_stop', index },
    ];
  });
  const events = [
    { type: 'message_start', message: { id: 'msg_1', role: 'assistant', content: [] } },
    { type: 'ping' },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Now.' } },
    { type: 'content_block_stop', index: 0 },
    ...blocks,
    { type: 'message_delta', delta: { stop_reason: calls.length === 0 ? 'end_turn' : 'tool_use' } },
    { type: 'message_stop' },
  ];
  return paced(events, between);
}

export function chatChunks(calls: readonly StreamedCall[], between?: Between): AsyncIterable<object> {
  const chunk = (delta: object, finish_reason: string | null = null): object => ({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason }],
  });
  const parts = calls.flatMap(({ id, name, json }, index) => [
    chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
    ...pieces(json).map((text) => chunk({ tool_calls: [{ index, function: { arguments: text } }] })),
  ]);
  const end = chunk({}, calls.length === 0 ? 'stop' : 'tool_calls');
  const usage = { id: 'chatcmpl-1', object: 'chat.completion.chunk', choices: [], usage: { total_tokens: 1 } };
  return paced([chunk({ role: 'assistant', content: '' }), chunk({ content: 'Now.' }), ...parts, end, usage], between);
}

export function responsesEvents(calls: readonly StreamedCall[], between?: Between): AsyncIterable<object> {
  const items = calls.flatMap(({ id, name, json }, at) => {
    const output_index = at + 1;
    const item = { type: 'function_call', id: `fc_${id}`, call_id: id, name, arguments: '' };
    return [
      { type: 'response.output_item.added', output_index, item },
      ...pieces(json).map((delta) => ({ type: 'response.function_call_arguments.delta', output_index, item_id: item.id, delta })),
      { type: 'response.function_call_arguments.done', output_index, item_id: item.id, arguments: json },
      { type: 'response.output_item.done', output_index, item: { ...item, arguments: json, status: 'completed' } },
    ];
  });
  const message = { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'Now.' }] };
  const events = [
    { type: 'response.created', response: { id: 'resp_1' } },
    { type: 'response.output_item.done', output_index: 0, item: message },
    ...items,
    { type: 'response.completed', response: { id: 'resp_1' } },
  ];
  return paced(events, between);
}
