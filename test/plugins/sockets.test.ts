// The sockets of all clients: they are pinged, and those that do not answer are given up.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import { WebSocket, WebSocketServer } from 'ws';
import { SocketRegistry } from '../../src/plugins/limits/sockets.ts';

interface Pair {
  readonly client: WebSocket;
  /** The other side, which the registry has. */
  readonly served: WebSocket;
}

async function connect(t: TestContext, sockets: SocketRegistry, options: { autoPong: boolean }): Promise<Pair> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  t.after(() => server.close());
  await once(server, 'listening');
  const connected = once(server, 'connection') as Promise<[WebSocket]>;
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, options);
  t.after(() => client.terminate());
  const [served] = await connected;
  sockets.admit('', served);
  if (client.readyState !== WebSocket.OPEN) await once(client, 'open');
  return { client, served };
}

test('each socket is pinged in its own time, so that thousands of them hold up nobody', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const sockets = new SocketRegistry(10);
  t.after(() => sockets.closeAll(1001, 'over'));
  const pinged: string[] = [];
  const early = await connect(t, sockets, { autoPong: true });
  early.client.on('ping', () => pinged.push('early'));
  t.mock.timers.tick(10_000);
  const late = await connect(t, sockets, { autoPong: true });
  late.client.on('ping', () => pinged.push('late'));
  for (const [ms, served] of [
    [15_000, early.served],
    [10_000, late.served],
    [15_000, early.served],
  ] as const) {
    const answered = once(served, 'pong');
    t.mock.timers.tick(ms);
    await answered;
  }
  assert.deepEqual(pinged, ['early', 'late', 'early']);
});

test('a socket is pinged every 25 seconds, and one that has not answered by the next is cut off', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const sockets = new SocketRegistry(10);
  t.after(() => sockets.closeAll(1001, 'over'));
  const answers = await connect(t, sockets, { autoPong: true });
  const silent = await connect(t, sockets, { autoPong: false });
  let pings = 0;
  answers.client.on('ping', () => (pings += 1));
  t.mock.timers.tick(24_999);
  const [asked, answered] = [once(silent.client, 'ping'), once(answers.served, 'pong')];
  assert.equal(pings, 0);
  t.mock.timers.tick(1);
  await Promise.all([asked, answered]);
  const [again, closed] = [once(answers.served, 'pong'), once(silent.served, 'close')];
  t.mock.timers.tick(25_000);
  await Promise.all([again, closed]);
  assert.deepEqual([pings, sockets.size, answers.client.readyState], [2, 1, WebSocket.OPEN]);
});
