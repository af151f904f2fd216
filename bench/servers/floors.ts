// What the service is compared with: a bare WebSocket echo, a bare Fastify echo, and programs started by hand.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { rgPath } from '@vscode/ripgrep';
import fastify from 'fastify';
import { WebSocketServer } from 'ws';
import { enclosedByHand, outputOf } from './by-hand.ts';
import { serveParent } from './serve-parent.ts';

interface Spawn {
  readonly count: number;
  /** The directory that the commands may write in; absent: they are not shut in. */
  readonly enclosed?: string;
}

interface Search {
  readonly directory: string;
  readonly args: readonly string[];
}

const SHELL = ['bash', '-c', 'true'] as const;

const app = fastify();
app.post('/echo', (request) => request.body);
app.post<{ Body: Spawn }>('/spawn', async ({ body: { count, enclosed } }) => {
  const command = enclosed === undefined ? SHELL : enclosedByHand(SHELL, enclosed);
  return { outputs: await Promise.all(Array.from({ length: count }, () => outputOf(command))) };
});
app.post<{ Body: Search }>('/ripgrep', async ({ body: { directory, args } }) => outputOf([rgPath, ...args], directory));
await app.listen({ host: '127.0.0.1', port: 0 });

const sockets = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
sockets.on('connection', (socket) => {
  socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
});
await once(sockets, 'listening');

serveParent({
  ports: { http: (app.server.address() as AddressInfo).port, socket: (sockets.address() as AddressInfo).port },
  async close() {
    for (const socket of sockets.clients) socket.terminate();
    sockets.close();
    await app.close();
  },
});
