import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { startProcess } from '../support/process.ts';
import { call, startServer, TestSocket, type TestServer } from '../support/server.ts';
import { workTool } from '../support/test-tools.ts';
import { withLimits } from './config-file.ts';

const PATIENCE_MS = 200;

async function countSockets(server: TestServer): Promise<number> {
  const { body } = await server.request('GET', '/metrics');
  return Number(/^toolexec_sockets (\d+)/m.exec(body['text'] as string)?.[1]);
}

async function untilSockets(server: TestServer, count: number): Promise<void> {
  while ((await countSockets(server)) !== count) await sleep(20);
}

/** A socket under the test's own hands. */
async function rawSocket(t: TestContext, server: TestServer, path: string): Promise<WebSocket> {
  const socket = new WebSocket(server.url.replace('http', 'ws') + path, ['toolexec.v1']);
  t.after(() => socket.terminate());
  // The first frame may come with the answer to the upgrade.
  await Promise.all([once(socket, 'open'), once(socket, 'message')]);
  return socket;
}

describe('sockets of one key', () => {
  test('are no more than the operator allows: one more is closed with 1013, and there is room again when one goes', async (t) => {
    const server = await startServer(t, { env: await withLimits(t, { sockets_per_key: 2 }) });
    const path = `/v1/sessions/${await server.session()}/stream`;
    const first = await server.socket(path);
    // One that has not opened its session yet counts as well.
    await server.socket('/v1/stream');
    const refused = await server.socket(path);
    assert.equal((await refused.type('error'))['problem'].type, '/problems/too-many-requests');
    assert.equal((await refused.closed).code, 1013);
    first.close();
    await untilSockets(server, 1);
    await (await server.socket(path)).type('session');
  });

  test('are not counted any more when their clients have left while the session was being made', async (t) => {
    const server = await startServer(t, { env: await withLimits(t, { sockets_per_key: 3 }) });
    for (let n = 0; n < 3; n += 1) {
      const socket = await server.socket('/v1/stream');
      socket.send({ type: 'open' });
      socket.terminate();
    }
    await untilSockets(server, 0);
    const next = await server.socket('/v1/stream');
    next.send({ type: 'open' });
    await next.type('session');
    assert.equal(await countSockets(server), 1);
  });

  test('that never say which session they want are closed', async (t) => {
    const server = await startServer(t, { env: await withLimits(t, { open_frame_ms: 50 }) });
    const socket = await server.socket('/v1/stream');
    assert.match((await socket.type('error'))['problem'].detail, /first frame must be/);
    assert.equal((await socket.closed).code, 1008);
  });

  test('that wait for their session are told when the service stops', async (t) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'toolexec-data-'));
    t.after(() => rm(dataDir, { recursive: true, force: true }));
    const server = await startProcess(t, { TOOLEXEC_DATA_DIR: dataDir });
    const socket = new TestSocket(new WebSocket(`${server.url.replace('http', 'ws')}/v1/stream`, ['toolexec.v1']));
    await socket.opened;
    const ended = server.end('SIGTERM');
    assert.equal((await socket.closed).code, 1001);
    assert.equal(await ended, 0);
  });
});

describe('a client that does not read', () => {
  test('is closed with 4408 when the session has more to tell than may wait for it', async (t) => {
    const server = await startServer(t, { tools: [workTool()], env: await withLimits(t, { reader_patience_ms: PATIENCE_MS }) });
    const session = await server.session();
    const socket = await rawSocket(t, server, `/v1/sessions/${session}/stream`);
    socket.pause();
    for (let n = 0; n < 12; n += 1) await server.post(session, [call(`c${n}`, 'Work', { label: 'x'.repeat(900_000) })]);
    await sleep(5 * PATIENCE_MS);
    let bytes = 0;
    socket.on('message', (data) => (bytes += (data as Buffer).length));
    socket.resume();
    const [code] = (await once(socket, 'close')) as [number];
    assert.equal(code, 4408);
    assert.ok(bytes < 12 * 2 * 900_000, `${bytes} bytes came`);
    assert.equal((await server.post(session, [call('after', 'Work')])).status, 200);
  });

  test('is not answered without end: its frames wait, and it is closed with 4408', async (t) => {
    const server = await startServer(t, { env: await withLimits(t, { reader_patience_ms: PATIENCE_MS }) });
    const socket = await rawSocket(t, server, `/v1/sessions/${await server.session()}/stream`);
    socket.pause();
    const ping = JSON.stringify({ type: 'ping', ref: 'x'.repeat(1_000) });
    let sent = 0;
    // Once the service takes no more frames, they pile up here.
    while (socket.bufferedAmount < 10_000_000) {
      for (let n = 0; n < 2_000; n += 1) socket.send(ping);
      sent += 2_000;
      assert.ok(sent < 200_000, 'the service takes frames whose answers nobody reads');
      await sleep(20);
    }
    await sleep(5 * PATIENCE_MS);
    let answers = 0;
    socket.on('message', () => (answers += 1));
    socket.on('error', () => {});
    socket.resume();
    const [code] = (await once(socket, 'close')) as [number];
    assert.equal(code, 4408);
    assert.ok(answers < 2 * sent);
  });

  test('cannot fill the memory with large frames: the service takes a few, and leaves the others with it', async (t) => {
    const server = await startServer(t, { tools: [workTool()], env: await withLimits(t, { reader_patience_ms: 600_000 }) });
    const session = await server.session();
    for (let n = 0; n < 12; n += 1) await server.post(session, [call(`c${n}`, 'Work', { label: 'x'.repeat(900_000) })]);
    const socket = await rawSocket(t, server, `/v1/sessions/${session}/stream?after=0`);
    socket.pause();
    const frame = JSON.stringify({ type: 'ping', ref: 'a', more: 'x'.repeat(4_000_000) });
    const frames = 30;
    for (let n = 0; n < frames; n += 1) socket.send(frame);
    // Until nothing has been taken for a while.
    for (let before = Infinity, still = 0; still < 20; still = socket.bufferedAmount < before ? 0 : still + 1) {
      before = socket.bufferedAmount;
      await sleep(50);
    }
    assert.ok(socket.bufferedAmount > (frames / 2) * frame.length, `${socket.bufferedAmount} bytes are left`);
  });
});

describe('a ping of the protocol', () => {
  test('is answered', async (t) => {
    const server = await startServer(t);
    const socket = await rawSocket(t, server, `/v1/sessions/${await server.session()}/stream`);
    socket.ping('hello');
    const [data] = (await once(socket, 'pong')) as [Buffer];
    assert.equal(String(data), 'hello');
  });

  test('goes unanswered where too many answers wait already, and the next one is answered', async (t) => {
    const server = await startServer(t);
    const socket = await rawSocket(t, server, `/v1/sessions/${await server.session()}/stream`);
    socket.pause();
    const sent = 200_000;
    for (let n = 0; n < sent; n += 1) socket.ping('x'.repeat(120));
    while (socket.bufferedAmount > 0) await sleep(20);
    const pongs: string[] = [];
    socket.on('pong', (data) => pongs.push(String(data)));
    socket.resume();
    while (pongs.at(-1) !== 'last') {
      socket.ping('last');
      await sleep(50);
    }
    assert.ok(pongs.length < sent, `${pongs.length} pongs`);
  });
});
