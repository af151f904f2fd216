// Servers over HTTP: the SDK's own, and one that says what a test wants.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { toNodeHandler, type NodeIncomingMessageLike } from '@modelcontextprotocol/node';
import type { HttpSettings } from '../../src/mcp/client/server-settings.ts';
import { createModernServer } from './mcp-modern-server.ts';

export interface Asked {
  readonly http: string;
  readonly method: string;
  readonly id: string | number | undefined;
  readonly name: string | undefined;
  /** What stands beside the arguments. */
  readonly meta: Readonly<Record<string, unknown>>;
  readonly headers: IncomingMessage['headers'];
}

/** Answers one request; it may leave it to what a server of 2025 with the tool `one` would say. */
export type Answering = (asked: Asked, response: ServerResponse, usual: () => void) => void;

export interface HttpServerInTest {
  readonly settings: HttpSettings;
  readonly asked: Asked[];
  /** Ends what is connected, and listens on. */
  readonly server: Server;
}

export async function modernHttpServer(t: TestContext): Promise<HttpSettings> {
  const handler = toNodeHandler(createMcpHandler(createModernServer));
  return settingsOf(
    await listening(
      t,
      createServer((request, response) => void handler(request as NodeIncomingMessageLike, response)),
    ),
  );
}

export async function rawHttpServer(t: TestContext, answering: Answering, sessionId?: () => string): Promise<HttpServerInTest> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => void receive(request, response));
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const message = chunks.length === 0 ? {} : (JSON.parse(Buffer.concat(chunks).toString()) as Record<string, any>);
    const one = {
      http: request.method ?? '',
      method: String(message['method'] ?? ''),
      id: message['id'] as Asked['id'],
      name: message['params']?.['name'] as string | undefined,
      meta: (message['params']?.['_meta'] ?? {}) as Asked['meta'],
      headers: request.headers,
    };
    asked.push(one);
    answering(one, response, () => usual(one, response, sessionId));
  }
  return { settings: settingsOf(await listening(t, server)), asked, server };
}

export function sendJson(response: ServerResponse, message: object, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ jsonrpc: '2.0', ...message }));
}

export const textResult = (text: string): object => ({ content: [{ type: 'text', text }] });

function usual({ http, method, id, name }: Asked, response: ServerResponse, sessionId?: () => string): void {
  if (http !== 'POST') response.writeHead(405).end();
  else if (method === 'initialize') {
    const headers = sessionId === undefined ? undefined : { 'mcp-session-id': sessionId() };
    const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'raw', version: '1' } };
    sendJson(response, { id, result }, headers);
  } else if (method === 'tools/list') {
    const tools = ['one', 'two'].map((each) => ({ name: each, inputSchema: { type: 'object' } }));
    sendJson(response, { id, result: { tools } });
  } else if (method === 'tools/call') sendJson(response, { id, result: textResult(`called ${name}`) });
  else if (id === undefined) response.writeHead(202).end();
  else sendJson(response, { id, error: { code: -32_601, message: 'Method not found' } });
}

async function listening(t: TestContext, server: Server): Promise<Server> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  return server;
}

function settingsOf(server: Server): HttpSettings {
  return { type: 'http', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, headers: {} };
}
