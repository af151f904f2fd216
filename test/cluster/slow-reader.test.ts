// A client that does not read, at a node that only passes on what another one sends.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, startServer } from '../support/server.ts';
import { workTool } from '../support/test-tools.ts';
import { sharedStore } from './shared-store.ts';

const shared = await sharedStore(15_000);

/** A way to a node, which counts what comes from it and hurries nobody. */
async function countedWay(t: TestContext): Promise<{ url: string; target: string; bytes: number }> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const node = connect(Number(new URL(way.target).port), '127.0.0.1');
    for (const socket of [client, node]) sockets.add(socket.on('error', () => socket.destroy()));
    node.on('data', (data) => (way.bytes += data.length));
    client.pipe(node).pipe(client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const way = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, target: '', bytes: 0 };
  return way;
}

test('a client that does not read makes the node of its session wait, however large the events are', async (t) => {
  const way = await countedWay(t);
  const common = { dataDir: shared.directory('slow'), tools: [workTool()] };
  const owner = await startServer(t, { ...common, env: { ...shared.env, TOOLEXEC_ADVERTISE_URL: way.url } });
  const other = await startServer(t, { ...common, env: shared.env });
  way.target = owner.url;
  const id = await owner.session();
  for (let n = 0; n < 30; n += 1) await owner.post(id, [call(`c${n}`, 'Work', { label: 'x'.repeat(900_000) })]);
  const socket = await other.socket(`/v1/sessions/${id}/stream?after=0`);
  await socket.type('session');
  socket.pause();
  const before = way.bytes;
  // Until nothing has come for a while.
  for (let last = -1, still = 0; still < 20; await sleep(50)) {
    still = way.bytes === last ? still + 1 : 0;
    last = way.bytes;
  }
  assert.ok(way.bytes - before < 20_000_000, `${way.bytes - before} bytes have come`);
  socket.resume();
  await socket.until((event) => event['type'] === 'turn_completed' && event['turn'].calls[0].tool_use_id === 'c29');
});
