import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, startServer, type Json, type TestServer } from '../support/server.ts';
import { newTrace, workTool } from '../support/test-tools.ts';
import { withLimits } from './config-file.ts';
import { parseEvents } from './server-sent-events.ts';

const KEYS = { TOOLEXEC_API_KEYS: 'one:first-secret,two:second-secret' };
const one = { authorization: 'Bearer first-secret' };
const two = { authorization: 'Bearer second-secret' };

async function make(server: TestServer, headers: Record<string, string> = one): Promise<string> {
  const { body } = await server.request('POST', '/v1/sessions', { permissions: { mode: 'bypassPermissions' } }, headers);
  return body['id'] as string;
}

async function ticketFor(server: TestServer, session: string, options?: Json): Promise<string> {
  const { status, body } = await server.request('POST', `/v1/sessions/${session}/tickets`, options, one);
  assert.equal(status, 201, JSON.stringify(body));
  return body['ticket'] as string;
}

const stream = (session: string, ticket: string): string => `/v1/sessions/${session}/stream?ticket=${ticket}`;

/** The code that a socket is closed with, or that of a session that it was let into. */
async function outcome(server: TestServer, path: string): Promise<number | 'open'> {
  const socket = await server.socket(path);
  return Promise.race([socket.type('session').then(() => 'open' as const), socket.closed.then(({ code }) => code)]).catch(
    async () => (await socket.closed).code,
  );
}

describe('a ticket', () => {
  test('is made by whoever has the key of the session, for thirty seconds to drive unless it says otherwise', async (t) => {
    const server = await startServer(t, { env: KEYS });
    const session = await make(server);
    const before = Date.now();
    const { status, headers, body } = await server.request('POST', `/v1/sessions/${session}/tickets`, undefined, one);
    assert.deepEqual([status, body['scope'], headers.get('cache-control')], [201, 'drive', 'no-store']);
    const lives = Date.parse(body['expires_at']) - before;
    assert.ok(lives >= 30_000 && lives < 60_000);
    assert.ok((body['ticket'] as string).length >= 43, 'nobody can guess it');
    const path = `/v1/sessions/${session}/tickets`;
    assert.equal((await server.request('POST', path, {}, two)).status, 404);
    assert.equal((await server.request('POST', path, {})).status, 401);
    assert.equal((await server.request('POST', '/v1/sessions/ses_nope/tickets', {}, one)).status, 404);
    for (const wrong of [{ scope: 'own' }, { ttl_ms: 0 }, { ttl_ms: 3_600_001 }, { ttl_ms: '1' }, { more: 1 }, []]) {
      assert.equal((await server.request('POST', path, wrong, one)).status, 400, JSON.stringify(wrong));
    }
  });

  for (const [how, env] of [
    ['with keys', KEYS],
    ['without keys', {}],
  ] as const) {
    test(`opens the socket of its session once, ${how}`, async (t) => {
      const server = await startServer(t, { env });
      const session = await make(server);
      const ticket = await ticketFor(server, session);
      assert.equal(await outcome(server, stream(session, ticket)), 'open');
      assert.equal(await outcome(server, stream(session, ticket)), 4401);
    });
  }

  test('lets one in when many come with it at once', async (t) => {
    const server = await startServer(t, { env: KEYS });
    const session = await make(server);
    const ticket = await ticketFor(server, session);
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => outcome(server, stream(session, ticket))));
    assert.deepEqual(
      outcomes.filter((code) => code !== 4401),
      ['open'],
    );
  });

  test('that is late, made up, given twice or meant for another session lets nobody in', async (t) => {
    const server = await startServer(t, { env: KEYS });
    const [session, other] = [await make(server), await make(server)];
    const astray = await ticketFor(server, session);
    const [a, b] = [await ticketFor(server, session), await ticketFor(server, session)];
    const late = await ticketFor(server, session, { ttl_ms: 1 });
    await sleep(20);
    assert.equal(await outcome(server, stream(session, late)), 4401);
    assert.equal(await outcome(server, stream(session, 'tkt_madeup')), 4401);
    assert.equal(await outcome(server, stream(session, '')), 4401);
    assert.equal(await outcome(server, `${stream(session, a)}&ticket=${b}`), 4401);
    assert.equal(await outcome(server, stream(other, astray)), 4401);
    assert.equal(await outcome(server, stream(session, astray)), 4401, 'it was used up');
    assert.equal(await outcome(server, `/v1/stream?ticket=${await ticketFor(server, session)}`), 4401);
    assert.equal(await outcome(server, stream(session, b)), 'open');
  });

  test('opens nothing but streams: what makes or changes things takes keys', async (t) => {
    const server = await startServer(t, { env: KEYS });
    const session = await make(server);
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/turns'],
      ['POST', '/messages'],
      ['POST', '/tickets'],
    ] as const) {
      const ticket = await ticketFor(server, session);
      const body = method === 'POST' ? { role: 'assistant', content: [] } : undefined;
      const { status } = await server.request(method, `/v1/sessions/${session}${path}?ticket=${ticket}`, body);
      assert.equal(status, 401, `${method} ${path}`);
    }
  });

  test('reads events, as an EventSource does, once', async (t) => {
    const server = await startServer(t, { env: KEYS, tools: [workTool()] });
    const session = await make(server);
    await server.post(session, [call('a', 'Work')], one);
    const path = `/v1/sessions/${session}/events?follow=false&ticket=${await ticketFor(server, session, { scope: 'watch' })}`;
    const { status, body } = await server.request('GET', path, undefined, { accept: 'text/event-stream' });
    assert.equal(status, 200);
    assert.equal(parseEvents(body['text']).at(-1)?.['type'], 'turn_completed');
    assert.equal((await server.request('GET', path)).status, 401);
  });

  test('is not used up by a page that may not come in', async (t) => {
    const server = await startServer(t, { env: KEYS });
    const session = await make(server);
    const ticket = await ticketFor(server, session);
    await assert.rejects(server.socket(stream(session, ticket), { headers: { origin: 'https://evil.example' } }), /403/);
    assert.equal(await outcome(server, stream(session, ticket)), 'open');
  });

  test('does not help a wrong key, and a right key does not use it up', async (t) => {
    const server = await startServer(t, { env: KEYS });
    const session = await make(server);
    const ticket = await ticketFor(server, session);
    const wrong = await server.socket(stream(session, ticket), { headers: { authorization: 'Bearer wrong-secret' } });
    assert.equal((await wrong.closed).code, 4401);
    await (await server.socket(stream(session, ticket), { headers: one })).type('session');
    assert.equal(await outcome(server, stream(session, ticket)), 'open');
  });

  test('of a session that is gone by then finds none', async (t) => {
    const server = await startServer(t, { env: KEYS });
    const session = await make(server);
    const ticket = await ticketFor(server, session);
    await server.request('DELETE', `/v1/sessions/${session}`, undefined, one);
    assert.equal(await outcome(server, stream(session, ticket)), 4404);
  });

  test('is one of so many that wait: a key that makes more without using them is told to wait, and no other key is', async (t) => {
    const server = await startServer(t, { env: { ...KEYS, ...(await withLimits(t, { tickets_per_key: 2 })) } });
    const [session, other] = [await make(server), await make(server, two)];
    const ask = (id: string, headers: Record<string, string>, body: Json = {}) =>
      server.request('POST', `/v1/sessions/${id}/tickets`, body, headers);
    const ticket = await ticketFor(server, session);
    await ask(session, one, { ttl_ms: 1 });
    await sleep(20);
    assert.equal((await ask(session, one)).status, 201, 'one that is late does not count');
    const refused = await ask(session, one);
    assert.deepEqual([refused.status, refused.body['type']], [429, '/problems/too-many-requests']);
    assert.ok(Number(refused.headers.get('retry-after')) >= 1);
    assert.equal((await ask(other, two)).status, 201);
    assert.equal(await outcome(server, stream(session, ticket)), 'open');
    assert.equal((await ask(session, one)).status, 201);
  });
});

describe('a socket with a ticket', () => {
  test('to drive does what one with a key does', async (t) => {
    const server = await startServer(t, { env: KEYS, tools: [workTool()] });
    const session = await make(server);
    const socket = await server.socket(stream(session, await ticketFor(server, session, { scope: 'drive' })));
    socket.send({ type: 'tool_use', id: 'a', name: 'Work', input: {} });
    socket.send({ type: 'end' });
    assert.equal((await socket.type('turn_completed'))['turn'].calls[0].outcome, 'ok');
  });

  test('to watch sees all and changes nothing, whatever it sends', async (t) => {
    const trace = newTrace();
    const server = await startServer(t, { env: KEYS, tools: [workTool(trace)] });
    const session = await make(server);
    const watcher = await server.socket(stream(session, await ticketFor(server, session, { scope: 'watch' })));
    await watcher.type('session');
    const driver = await server.socket(`/v1/sessions/${session}/stream`, { headers: one });
    driver.send({ type: 'tool_use', id: 'mine', name: 'Work', input: {} });
    await watcher.type('call_queued');
    const frames: Json[] = [
      { type: 'tool_use', id: 'a', name: 'Work', input: {} },
      { type: 'message', message: { role: 'assistant', content: [{ type: 'tool_use', id: 'b', name: 'Work', input: {} }] } },
      { type: 'message_start', message: { role: 'assistant', content: [] } },
      { object: 'chat.completion.chunk', choices: [] },
      { type: 'response.output_item.done', item: { type: 'function_call', call_id: 'c', name: 'Work', arguments: '{}' } },
      { type: 'end' },
      { type: 'abort' },
      { type: 'discard' },
      { type: 'cancel', tool_use_id: 'mine' },
      { type: 'approval', approval_id: 'apr_x', behavior: 'allow' },
      { type: 'client_result', tool_use_id: 'mine', content: 'x' },
      { type: 'subscribe', client_tools: ['Work'] },
      { type: 'open', session: {} },
      { type: 'nonsense' },
    ];
    for (const [index, frame] of frames.entries()) watcher.send({ ...frame, ref: index });
    watcher.send({ type: 'ping', ref: 'last' });
    await watcher.until((frame) => frame['type'] === 'ack' && frame['ref'] === 'last');
    const errors = watcher.ofType('error');
    assert.deepEqual(
      errors.map(({ ref, problem }) => [ref, problem.type]),
      frames.map((_, index) => [index, '/problems/forbidden']),
    );
    assert.equal(watcher.ofType('pong').length, 1);
    driver.send({ type: 'end' });
    const { turn } = await watcher.type('turn_completed');
    assert.deepEqual([turn.status, turn.calls.length, trace.started], ['completed', 1, ['mine']]);
  });
});
