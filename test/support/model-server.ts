// A server that speaks the streaming Messages API over a real socket. What it answers is scripted by the test.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A question as it came, looked into freely by tests. */
export interface ModelRequest {
  readonly headers: IncomingMessage['headers'];
  readonly path: string;
  readonly body: Record<string, any>;
  /** Fires when the asker has gone before its answer was whole. */
  readonly gone: AbortSignal;
}

export interface ScriptedCall {
  readonly id?: string;
  readonly name: string;
  readonly input?: unknown;
  /** Argument text that is sent as it is, JSON or not. */
  readonly json?: string;
}

export type ScriptedAnswer =
  /** An answer of blocks: thinking, text, calls. `until` holds its end back; `breakOff` cuts the connection before it. */
  | {
      readonly thinking?: string;
      readonly text?: string;
      readonly calls?: readonly ScriptedCall[];
      readonly stop?: string;
      readonly usage?: { readonly input: number; readonly output: number };
      readonly until?: Promise<unknown>;
      readonly breakOff?: boolean;
    }
  /** A refusal before any answer. */
  | { readonly status: number; readonly message?: string; readonly headers?: Record<string, string> }
  /** An error in the middle of an answer. */
  | { readonly error: string; readonly text?: string }
  /** Whatever a server may send. */
  | { readonly raw: string };

/** @param index how many questions there were before */
export type Script = (request: ModelRequest, index: number) => ScriptedAnswer | Promise<ScriptedAnswer>;

export interface ModelServer {
  readonly url: string;
  /** All questions so far. */
  readonly requests: readonly ModelRequest[];
  /** Resolves with the question of this index once it has come. */
  request(index: number): Promise<ModelRequest>;
}

/** Whoever takes down what was started for them, such as a test. */
export interface Until {
  after(end: () => void): void;
}

export async function startModelServer(t: Until, script: Script): Promise<ModelServer> {
  const requests: ModelRequest[] = [];
  let wake = Promise.withResolvers<void>();
  const server = createServer((incoming, response) => {
    void serve(incoming, response, (request) => {
      requests.push(request);
      wake.resolve();
      wake = Promise.withResolvers();
      return script(request, requests.length - 1);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async request(index) {
      for (;;) {
        const found = requests[index];
        if (found !== undefined) return found;
        await wake.promise;
      }
    },
  };
}

type Answer = (request: ModelRequest) => ReturnType<Script>;

async function serve(incoming: IncomingMessage, response: ServerResponse, answer: Answer): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>;
    await send(response, await answer({ headers: incoming.headers, path: incoming.url ?? '', body, gone: gone.signal }));
  } catch (error) {
    // The asker has left, or the script is wrong: both end the connection.
    response.destroy(error instanceof Error ? error : undefined);
  }
}

async function send(response: ServerResponse, answer: ScriptedAnswer): Promise<void> {
  if ('status' in answer) {
    const { status, message = 'no', headers = {} } = answer;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ type: 'error', error: { type: TYPES[status] ?? 'api_error', message } }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if ('raw' in answer) {
    response.end(answer.raw);
    return;
  }
  response.write(frame({ type: 'message_start', message: startOf(answer) }) + frame({ type: 'ping' }));
  for (const [index, events] of blocksOf(answer).entries()) for (const event of events) response.write(frame({ ...event, index }));
  if ('error' in answer) {
    response.end(frame({ type: 'error', error: { type: answer.error, message: 'in the middle' } }));
    return;
  }
  await answer.until;
  if (answer.breakOff === true) {
    response.destroy();
    return;
  }
  const stop_reason = answer.stop ?? ((answer.calls?.length ?? 0) > 0 ? 'tool_use' : 'end_turn');
  response.write(
    frame({ type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: answer.usage?.output ?? 5 } }),
  );
  response.end(frame({ type: 'message_stop' }));
}

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

function frame(event: { readonly type: string; readonly [key: string]: unknown }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

let messages = 0;

function startOf(answer: ScriptedAnswer): object {
  messages += 1;
  const input_tokens = ('usage' in answer ? answer.usage?.input : undefined) ?? 10;
  return {
    id: `msg_${messages}`,
    type: 'message',
    role: 'assistant',
    model: 'scripted',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens, output_tokens: 1 },
  };
}

type BlockEvent = { readonly type: string; readonly [key: string]: unknown };

function blocksOf(answer: ScriptedAnswer): BlockEvent[][] {
  const blocks: BlockEvent[][] = [];
  const { thinking, text, calls = [] } = answer as Extract<ScriptedAnswer, { calls?: unknown }>;
  if (thinking !== undefined) {
    blocks.push(
      block({ type: 'thinking', thinking: '', signature: '' }, [
        ...inOddPieces(thinking).map((piece) => ({ type: 'thinking_delta', thinking: piece })),
        { type: 'signature_delta', signature: 'signed' },
      ]),
    );
  }
  if (text !== undefined)
    blocks.push(
      block(
        { type: 'text', text: '' },
        inOddPieces(text).map((piece) => ({ type: 'text_delta', text: piece })),
      ),
    );
  for (const [index, { id = `toolu_${messages}_${index}`, name, input = {}, json = JSON.stringify(input) }] of calls.entries()) {
    blocks.push(
      block(
        { type: 'tool_use', id, name, input: {} },
        inOddPieces(json).map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
      ),
    );
  }
  return blocks;
}

function block(content_block: object, deltas: readonly object[]): BlockEvent[] {
  return [
    { type: 'content_block_start', content_block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', delta })),
    { type: 'content_block_stop' },
  ];
}

/** Pieces of 1, 2, 3 … 7 characters, over and over, with an empty one at the start, as the API sends them. */
function inOddPieces(text: string): string[] {
  const pieces = [''];
  for (let from = 0, size = 1; from < text.length; from += size, size = (size % 7) + 1) pieces.push(text.slice(from, from + size));
  return pieces;
}

/** The text of the results, and of the words, that the last message of a question brings. */
export function lastWords({ body }: ModelRequest): string {
  const { content } = body['messages'].at(-1) as { content: string | Record<string, any>[] };
  if (typeof content === 'string') return content;
  return content
    .map((each) =>
      each['type'] === 'text' ? each['text'] : typeof each['content'] === 'string' ? each['content'] : JSON.stringify(each['content']),
    )
    .join('\n');
}
