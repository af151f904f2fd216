// A model that knows one trick, for the examples: it speaks the streaming APIs of Anthropic (Messages) and OpenAI (Chat
// Completions, Responses). Asked a question, it writes a file and counts its words; given the results, it says what it read.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Body {
  /** `input` in the Responses API. */
  readonly messages?: readonly unknown[];
  readonly input?: unknown;
}

const CALLS = [
  { name: 'Write', input: { file_path: 'poem.txt', content: 'The fog comes\non little cat feet.\n' } },
  { name: 'Bash', input: { command: 'wc -w < poem.txt', description: 'Count the words' } },
];

/** Listens on a free port. @returns where, and how to stop it */
export async function startModelServer(): Promise<{ url: string; close: () => void }> {
  const server = createServer((request, response) => {
    void answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // Nobody waits for it: the example ends when it has its answer.
  server.unref();
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => server.close() };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  const body = JSON.parse(text) as Body;
  const asked = JSON.stringify(body.messages ?? body.input);
  const results = /tool_result|"role":"tool"|function_call_output/.test(asked);
  const count = /"(\d+)(\\n)?"/.exec(asked)?.[1];
  const words = results ? `The poem has ${count ?? 'some'} words.` : 'I write a poem.';
  const events = API[(request.url ?? '').split('/').at(-1) ?? '']?.(words, results ? [] : CALLS) ?? [];
  response.writeHead(events.length > 0 ? 200 : 404, { 'content-type': 'text/event-stream' });
  for (const event of events) {
    if ('type' in event) response.write(`event: ${String(event.type)}\n`);
    response.write(`data: ${JSON.stringify(event)}\n\n`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  response.end('data: [DONE]\n\n');
}

type Answer = (words: string, calls: typeof CALLS) => object[];
const API: Readonly<Record<string, Answer>> = { messages: anthropic, completions: openaiChat, responses: openaiResponses };
let ids = 0;

function newId(prefix: string): string {
  ids += 1;
  return `${prefix}_${Date.now().toString(36)}${ids}`;
}

/** As models write: a few characters at a time. */
function pieces(input: unknown): string[] {
  return JSON.stringify(input).match(/.{1,12}/gs) ?? [];
}

function anthropic(words: string, calls: typeof CALLS): object[] {
  const message = {
    id: newId('msg'),
    type: 'message',
    role: 'assistant',
    model: 'scripted',
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
  const block = (index: number, content_block: object, deltas: object[]): object[] => [
    { type: 'content_block_start', index, content_block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
  return [
    { type: 'message_start', message: { ...message, usage: { input_tokens: 1, output_tokens: 1 } } },
    ...block(0, { type: 'text', text: '' }, [{ type: 'text_delta', text: words }]),
    ...calls.flatMap(({ name, input }, at) => {
      const deltas = pieces(input).map((partial_json) => ({ type: 'input_json_delta', partial_json }));
      return block(at + 1, { type: 'tool_use', id: newId('toolu'), name, input: {} }, deltas);
    }),
    {
      type: 'message_delta',
      delta: { stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn', stop_sequence: null },
      usage: { output_tokens: 9 },
    },
    { type: 'message_stop' },
  ];
}

function openaiChat(words: string, calls: typeof CALLS): object[] {
  const head = { id: newId('chatcmpl'), object: 'chat.completion.chunk', created: 1, model: 'scripted' };
  const chunk = (delta: object, finish_reason: string | null = null): object => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason }],
  });
  return [
    chunk({ role: 'assistant', content: words }),
    ...calls.flatMap(({ name, input }, index) => [
      chunk({ tool_calls: [{ index, id: newId('call'), type: 'function', function: { name, arguments: '' } }] }),
      ...pieces(input).map((text) => chunk({ tool_calls: [{ index, function: { arguments: text } }] })),
    ]),
    chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'),
  ];
}

function openaiResponses(words: string, calls: typeof CALLS): object[] {
  const said = {
    type: 'message',
    id: newId('msg'),
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: words, annotations: [] }],
  };
  const called = calls.map(({ name, input }) => ({
    type: 'function_call',
    id: newId('fc'),
    call_id: newId('call'),
    name,
    arguments: JSON.stringify(input),
    status: 'completed',
  }));
  const output = [said, ...called];
  const response = { id: newId('resp'), object: 'response', created_at: 1, model: 'scripted', status: 'in_progress', output: [] };
  const events = [
    { type: 'response.created', response },
    ...output.flatMap((item, output_index) => [
      {
        type: 'response.output_item.added',
        output_index,
        item: 'arguments' in item ? { ...item, arguments: '' } : { ...item, content: [] },
      },
      ...('arguments' in item
        ? pieces(JSON.parse(item.arguments)).map((delta) => ({
            type: 'response.function_call_arguments.delta',
            item_id: item.id,
            output_index,
            delta,
          }))
        : []),
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response: { ...response, status: 'completed', output } },
  ];
  return events.map((event, sequence_number) => ({ ...event, sequence_number }));
}
