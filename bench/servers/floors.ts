// What the service is compared with: a bare WebSocket echo, a bare Fastify echo, and commands started by hand.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import fastify from 'fastify';
import { WebSocketServer } from 'ws';
import { serveParent } from './serve-parent.ts';

const app = fastify();
app.post('/echo', (request) => request.body);
app.post<{ Body: { count: number } }>('/spawn', async ({ body: { count } }) => {
  const outputs = await Promise.all(Array.from({ length: count }, runTrue));
  return { outputs };
});
await app.listen({ host: '127.0.0.1', port: 0 });

const sockets = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
sockets.on('connection', (socket) => {
  socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
});
await once(sockets, 'listening');

async function runTrue(): Promise<string> {
  const child = spawn('bash', ['-c', 'true'], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await once(child, 'close');
  return output;
}

serveParent({
  ports: { http: (app.server.address() as AddressInfo).port, socket: (sockets.address() as AddressInfo).port },
  async close() {
    for (const socket of sockets.clients) socket.terminate();
    sockets.close();
    await app.close();
  },
});
