// The real service on a free port with a throw-away data directory, and plain clients for its two surfaces.
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { WebSocket } from 'ws';
import type { FastifyInstance } from 'fastify';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import type { Tool } from '../../src/contract/index.ts';

/** Replies are looked into freely by tests. */
export type Json = Record<string, any>;

export interface TestServer {
  readonly app: FastifyInstance;
  readonly url: string;
  /** A directory under the operator's workspace roots. */
  readonly root: string;
  readonly dataDir: string;
  request(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; headers: Headers; body: Json }>;
  /** Makes a session that may do everything. @returns its id */
  session(options?: Json): Promise<string>;
  /** Posts an Anthropic assistant message with these calls. */
  post(sessionId: string, calls: Json[], headers?: Record<string, string>): Promise<{ status: number; headers: Headers; body: Json }>;
  socket(path: string, options?: { protocols?: string[]; headers?: Record<string, string> }): Promise<TestSocket>;
  /** Stops it as a signal does: whoever is connected is told. */
  drain(): Promise<void>;
  /** Cuts every connection, and stops it. */
  close(): Promise<void>;
}

export interface ServerOptions {
  readonly env?: Record<string, string>;
  readonly tools?: readonly Tool[];
  /** Use this data directory, and leave it there. */
  readonly dataDir?: string;
}

export async function startServer(t: TestContext, options: ServerOptions = {}): Promise<TestServer> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'toolexec-')));
  const root = await realpath(await mkdtemp(join(base, 'root-')));
  const dataDir = options.dataDir ?? join(base, 'data');
  const config = readConfig({
    TOOLEXEC_PORT: '0',
    TOOLEXEC_DATA_DIR: dataDir,
    TOOLEXEC_WORKSPACE_ROOTS: root,
    TOOLEXEC_DRAIN_GRACE_MS: '200',
    ...options.env,
  });
  const app = await buildApp({ config, logger: undefined, extraTools: options.tools ?? [] });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const sockets = new Set<TestSocket>();
  let closed = false;
  const drain = async (): Promise<void> => {
    if (closed) return;
    closed = true;
    await app.close();
  };
  const close = async (): Promise<void> => {
    if (!closed) for (const socket of sockets) socket.terminate();
    await drain();
  };
  t.after(async () => {
    await close();
    await rm(base, { recursive: true, force: true });
  });

  const request: TestServer['request'] = async (method, path, body, headers = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parsed(text) };
  };
  return {
    app,
    url,
    root,
    dataDir,
    request,
    drain,
    close,
    async session(sessionOptions = {}) {
      const made = await request('POST', '/v1/sessions', { permissions: { mode: 'bypassPermissions' }, ...sessionOptions });
      if (made.status !== 201) throw new Error(JSON.stringify(made.body));
      return made.body['id'] as string;
    },
    post: (sessionId, calls, headers) => request('POST', `/v1/sessions/${sessionId}/messages`, assistant(calls), headers),
    async socket(path, { protocols = ['toolexec.v1'], headers = {} } = {}) {
      const socket = new TestSocket(new WebSocket(url.replace('http', 'ws') + path, protocols, { headers }));
      sockets.add(socket);
      await socket.opened;
      return socket;
    },
  };
}

export function assistant(calls: Json[]): Json {
  return { role: 'assistant', content: calls.map((one) => ({ type: 'tool_use', ...one })) };
}

export function call(id: string, name: string, input: unknown = {}): Json {
  return { id, name, input };
}

/** The results of a reply, each as `id: text`. */
export function resultsOf(reply: Json): string[] {
  const content = (reply['messages']?.[0]?.content ?? []) as Json[];
  return content.map(
    (block) => `${block['tool_use_id']}: ${typeof block['content'] === 'string' ? block['content'] : JSON.stringify(block['content'])}`,
  );
}

function parsed(text: string): Json {
  try {
    return text === '' ? {} : (JSON.parse(text) as Json);
  } catch {
    return { text };
  }
}

export class TestSocket {
  readonly frames: Json[] = [];
  readonly opened: Promise<void>;
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #socket: WebSocket;
  #wake: (() => void)[] = [];

  constructor(socket: WebSocket) {
    this.#socket = socket;
    this.opened = new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    this.closed = new Promise((resolve) => socket.once('close', (code, reason) => resolve({ code, reason: String(reason) })));
    socket.on('message', (data) => {
      this.frames.push(JSON.parse((data as Buffer).toString('utf8')) as Json);
      for (const wake of this.#wake.splice(0)) wake();
    });
    socket.once('close', () => {
      for (const wake of this.#wake.splice(0)) wake();
    });
  }

  get protocol(): string {
    return this.#socket.protocol;
  }

  send(frame: unknown): void {
    this.#socket.send(typeof frame === 'string' || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame));
  }

  /** The first frame, from the `from`-th on, that the test accepts. @throws when the socket closes before */
  async until(accept: (frame: Json) => boolean, from = 0): Promise<Json> {
    for (let looked = from; ;) {
      const found = this.frames.slice(looked).find(accept);
      if (found !== undefined) return found;
      looked = this.frames.length;
      if (this.#socket.readyState === WebSocket.CLOSED)
        throw new Error(`the socket closed; frames: ${JSON.stringify(this.frames).slice(0, 2000)}`);
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
  }

  type(type: string, from = 0): Promise<Json> {
    return this.until((frame) => frame['type'] === type, from);
  }

  ofType(type: string): Json[] {
    return this.frames.filter((frame) => frame['type'] === type);
  }

  close(): void {
    this.#socket.close();
  }

  /** Cuts the connection without a goodbye. */
  terminate(): void {
    this.#socket.terminate();
  }

  /** Stops reading from the network. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }
}
