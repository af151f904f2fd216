import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assistant, call, startServer, type Json, type TestServer } from '../support/server.ts';
import { newTrace, workTool } from '../support/test-tools.ts';
import { withLimits } from './config-file.ts';

/** JSON this many levels deep. */
const nested = (levels: number): Json => JSON.parse('{"a":'.repeat(levels - 1) + '{}' + '}'.repeat(levels - 1)) as Json;

describe('the operator’s limit', () => {
  test('on sessions of a key is answered with 429 and when to come again, and holds for each key alone', async (t) => {
    const env = { ...(await withLimits(t, { sessions_per_key: 2 })), TOOLEXEC_API_KEYS: 'one:first-secret,two:second-secret' };
    const server = await startServer(t, { env });
    const make = (key: string) => server.request('POST', '/v1/sessions', {}, { authorization: `Bearer ${key}` });
    const [first] = [await make('first-secret'), await make('first-secret')];
    const refused = await make('first-secret');
    assert.deepEqual([refused.status, refused.body['type']], [429, '/problems/too-many-requests']);
    assert.ok(Number(refused.headers.get('retry-after')) >= 1);
    assert.equal((await make('second-secret')).status, 201);
    await server.request('DELETE', first.headers.get('location') ?? '', undefined, { authorization: 'Bearer first-secret' });
    assert.equal((await make('first-secret')).status, 201);
  });

  test('on calls of a turn refuses a message that has more, and over a socket the one call too many', async (t) => {
    const trace = newTrace();
    const server = await startServer(t, { tools: [workTool(trace)], env: await withLimits(t, { calls_per_turn: 2 }) });
    const session = await server.session();
    const { status, body } = await server.post(session, [call('a', 'Work'), call('b', 'Work'), call('c', 'Work')]);
    assert.deepEqual([status, body['type']], [400, '/problems/invalid-request']);
    assert.match(body['detail'], /at most 2 calls/);
    const socket = await server.socket(`/v1/sessions/${session}/stream`);
    for (const id of ['d', 'e', 'f']) socket.send({ type: 'tool_use', id, name: 'Work', input: {}, ref: id });
    assert.equal((await socket.type('error'))['ref'], 'f');
    socket.send({ type: 'end' });
    const done = await socket.type('turn_completed');
    assert.deepEqual(
      done['turn'].calls.map((c: Json) => `${c['tool_use_id']} ${c['outcome']}`),
      ['d ok', 'e ok'],
    );
    assert.deepEqual(trace.started, ['d', 'e']);
  });

  test('on the depth of JSON holds for bodies and for frames, to the level', async (t) => {
    const server = await startServer(t, { env: await withLimits(t, { json_depth: 10 }) });
    const session = await server.session({ metadata: nested(9) });
    const { status, body } = await server.request('POST', '/v1/sessions', { metadata: nested(10) });
    assert.deepEqual([status, body['type']], [400, '/problems/invalid-request']);
    assert.match(body['detail'], /nested deeper than 10 levels/);
    const socket = await server.socket(`/v1/sessions/${session}/stream`);
    socket.send({ type: 'ping', more: nested(10) });
    assert.match((await socket.type('error'))['problem'].detail, /nested deeper than 10 levels/);
    socket.send({ type: 'ping', more: nested(9) });
    await socket.type('pong');
  });

  test('on requests of a key is answered with 429 and when to come again, and holds for each key alone', async (t) => {
    const env = { TOOLEXEC_API_KEYS: 'one:first-secret,two:second-secret', ...(await withLimits(t, { requests_per_minute: 4 })) };
    const server = await startServer(t, { env });
    const ask = (key: string, path = '/v1/tools') => server.request('GET', path, undefined, { authorization: `Bearer ${key}` });
    const statuses = [];
    for (let n = 0; n < 5; n += 1) statuses.push((await ask('first-secret', n % 2 === 0 ? '/v1/tools' : '/v1/sessions')).status);
    assert.deepEqual(statuses, [200, 200, 200, 200, 429]);
    const { headers, body } = await ask('first-secret');
    assert.equal(body['type'], '/problems/too-many-requests');
    const seconds = Number(headers.get('retry-after'));
    assert.ok(seconds >= 1 && seconds <= 60);
    assert.equal((await ask('second-secret')).status, 200);
    assert.equal((await ask('first-secret', '/healthz')).status, 200);
  });

  test('on event streams of a key is answered with 429, and there is room again when one ends, however it ends', async (t) => {
    const server = await startServer(t, { env: await withLimits(t, { event_streams_per_key: 2 }) });
    const path = `/v1/sessions/${await server.session()}/events`;
    const leave = new AbortController();
    const open = () => fetch(server.url + path, { signal: leave.signal });
    await Promise.all([open(), open()]);
    const refused = await server.request('GET', path);
    assert.deepEqual([refused.status, refused.body['type']], [429, '/problems/too-many-requests']);
    assert.ok(Number(refused.headers.get('retry-after')) >= 1);
    const json = await server.request('GET', path, undefined, { accept: 'application/json' });
    assert.equal(json.status, 200, 'what ends at once is no stream');
    leave.abort();
    while ((await server.request('GET', `${path}?follow=false`)).status !== 200) await sleep(10);
    for (let n = 0; n < 5; n += 1) assert.equal((await server.request('GET', `${path}?follow=false`)).status, 200);
  });
});

describe('bodies of all requests together', () => {
  const LIMITS = { body_bytes: 800, bodies_in_flight_bytes: 1_000 };
  const start = async (t: TestContext): Promise<TestServer> => startServer(t, { tools: [workTool()], env: await withLimits(t, LIMITS) });

  /** A request whose body is sent by the test, as far as it likes. */
  function begin(t: TestContext, server: TestServer, framing: string): Socket {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.on('error', () => {});
    t.after(() => socket.destroy());
    socket.write(`POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`);
    return socket;
  }
  const body = (bytes: number): string => `{"metadata":{"x":"${'x'.repeat(bytes - 22)}"}}`.padEnd(bytes);
  const post = (server: TestServer, bytes: number) => server.request('POST', '/v1/sessions', body(bytes));
  const untilStatus = async (server: TestServer, bytes: number, status: number): Promise<void> => {
    while ((await post(server, bytes)).status !== status) await sleep(5);
  };

  test('are bounded: one too many is refused with 503 and when to come again, and smaller ones go on', async (t) => {
    const server = await start(t);
    const held = begin(t, server, 'Content-Length: 600');
    await untilStatus(server, 500, 503);
    const refused = await post(server, 500);
    assert.equal(refused.body['type'], '/problems/overloaded');
    assert.ok(Number(refused.headers.get('retry-after')) >= 1);
    assert.equal(refused.headers.get('connection'), 'close', 'the rest of the body is not read');
    assert.equal((await post(server, 400)).status, 201);
    assert.equal((await post(server, 900)).status, 413, 'what is too large in itself is told so');
    held.write(body(600));
    await untilStatus(server, 500, 201);
  });

  test('that do not say how long they are count as far as they have come', async (t) => {
    const server = await start(t);
    const held = begin(t, server, 'Transfer-Encoding: chunked');
    assert.equal((await post(server, 700)).status, 201);
    held.write(`1f4\r\n${body(600).slice(0, 500)}\r\n`);
    await untilStatus(server, 600, 503);
    const second = begin(t, server, 'Connection: close\r\nTransfer-Encoding: chunked');
    second.write(`12c\r\n${'x'.repeat(300)}\r\n`);
    second.write(`12c\r\n${'x'.repeat(300)}\r\n`);
    assert.match(await text(second), /^HTTP\/1\.1 503 [^]*\/problems\/overloaded/);
    held.write(`64\r\n${body(600).slice(500)}\r\n0\r\n\r\n`);
    await untilStatus(server, 600, 201);
    const large = begin(t, server, 'Transfer-Encoding: chunked');
    large.write(`384\r\n${'x'.repeat(900)}\r\n0\r\n\r\n`);
    assert.match(await text(large), /^HTTP\/1\.1 413 /);
  });

  test('stop counting when clients leave in the middle, are refused, or send what is wrong', async (t) => {
    const server = await start(t);
    const leaving = ['Content-Length: 700', 'Transfer-Encoding: chunked'].flatMap((framing) =>
      Array.from({ length: 10 }, () => begin(t, server, framing)),
    );
    for (const socket of leaving) socket.write(`2bc\r\n${'x'.repeat(300)}`);
    await untilStatus(server, 700, 503);
    for (const socket of leaving) socket.destroy();
    await untilStatus(server, 800, 201);
    for (let n = 0; n < 5; n += 1) {
      assert.equal((await server.request('POST', '/v1/sessions', 'x'.repeat(700))).status, 400);
      assert.equal((await server.request('POST', '/nope', body(700))).status, 404);
      assert.equal((await server.request('POST', '/v1/sessions', body(700), { 'content-type': 'text/plain' })).status, 415);
    }
    assert.equal((await post(server, 800)).status, 201);
  });

  test('that nobody reads to their end neither hold up the connection nor end the service', async (t) => {
    const server = await startServer(t);
    const chunks = `10000\r\n${'x'.repeat(65_536)}\r\n`.repeat(20);
    const unread = connect(Number(new URL(server.url).port), '127.0.0.1');
    const next = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    const chunked = 'Host: localhost\r\nTransfer-Encoding: chunked';
    unread.write(`POST /v1/sessions HTTP/1.1\r\n${chunked}\r\nContent-Type: text/plain\r\n\r\n${chunks}0\r\n\r\n${next}`);
    assert.deepEqual((await text(unread)).match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 415', 'HTTP/1.1 200']);
    const small = await start(t);
    const flood = begin(t, small, 'Transfer-Encoding: chunked');
    flood.resume().write(chunks);
    await once(flood, 'close');
    begin(t, small, 'Content-Length: 600');
    await untilStatus(small, 500, 503);
    const both = connect(Number(new URL(small.url).port), '127.0.0.1');
    both.write(`POST /v1/sessions HTTP/1.1\r\n${chunked}\r\nContent-Type: text/plain\r\n\r\n1f4\r\n${'x'.repeat(500)}\r\n0\r\n\r\n${next}`);
    assert.match(await text(both), /^HTTP\/1\.1 (415|503) /);
    assert.equal((await post(small, 400)).status, 201);
  });

  test('count until they are answered, and no longer: also as a stream, and when the client does not wait', async (t) => {
    const server = await start(t);
    const session = await server.session();
    const message = (id: string) => JSON.stringify(assistant([call(id, 'Work', { ms: 300, label: 'x'.repeat(400) })]));
    for (const [id, headers] of [
      ['json', { accept: 'application/json' }],
      ['stream', { accept: 'text/event-stream' }],
    ] as const) {
      const posted = server.request('POST', `/v1/sessions/${session}/messages`, message(id), headers);
      await untilStatus(server, 600, 503);
      assert.equal((await posted).status, 200);
      await untilStatus(server, 600, 201);
    }
    const leave = new AbortController();
    const path = `${server.url}/v1/sessions/${session}/messages`;
    const headers = { 'content-type': 'application/json' };
    const gone = fetch(path, { method: 'POST', headers, body: message('gone'), signal: leave.signal }).catch(() => null);
    await untilStatus(server, 600, 503);
    leave.abort();
    assert.equal(await gone, null);
    await untilStatus(server, 600, 201);
  });
});
