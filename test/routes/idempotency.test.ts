import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProcess } from '../support/process.ts';
import { assistant, call, resultsOf, startServer, type Json, type TestServer } from '../support/server.ts';
import { newTrace, workTool } from '../support/test-tools.ts';
import { parseEvents } from './server-sent-events.ts';

const KEY = { 'idempotency-key': 'one' };
const STREAM = { accept: 'text/event-stream' };
const everything = { permissions: { mode: 'bypassPermissions' } };

/** Sends a request and hangs up once the service has begun to work on it. */
async function sendAndLeave(server: TestServer, path: string, request: { body: Json; headers: Json; begun: () => boolean }): Promise<void> {
  const leaving = new AbortController();
  const sent = fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...request.headers },
    body: JSON.stringify(request.body),
    signal: leaving.signal,
  }).then((response) => response.text());
  while (!request.begun()) await sleep(5);
  leaving.abort();
  await assert.rejects(sent);
}

describe('a request with an Idempotency-Key', () => {
  for (const [how, headers] of [
    ['as JSON', {}],
    ['as an event stream', STREAM],
  ] as const) {
    test(`whose client leaves ${how} is not run again: the repeat joins the turn that it began`, async (t) => {
      const trace = newTrace();
      const server = await startServer(t, { tools: [workTool(trace)] });
      const session = await server.session({ execution: { call_ids: 'per_message' } });
      const path = `/v1/sessions/${session}/messages`;
      const body = assistant([call('call_0', 'Work', { ms: 300, label: 'x' })]);
      await sendAndLeave(server, path, { body, headers: { ...KEY, ...headers }, begun: () => trace.started.length > 0 });
      const joined = await server.request('POST', path, body, KEY);
      assert.deepEqual([joined.status, joined.headers.get('toolexec-replayed')], [200, 'true']);
      assert.deepEqual(resultsOf(joined.body), ['call_0: done x']);
      assert.deepEqual((await server.request('POST', path, body, KEY)).body, joined.body);
      assert.deepEqual(trace.started, ['call_0']);
    });
  }

  test('may be repeated as an event stream, while its turn runs and after: the same events, run once', async (t) => {
    const trace = newTrace();
    const server = await startServer(t, { tools: [workTool(trace)] });
    const session = await server.session({ execution: { call_ids: 'per_message' } });
    const body = assistant([call('call_0', 'Work', { ms: 100 }), call('call_1', 'Work')]);
    const stream = async () => (await server.request('POST', `/v1/sessions/${session}/messages`, body, { ...KEY, ...STREAM })).body['text'];
    const together = await Promise.all([stream(), stream(), stream()]);
    const [first] = together;
    assert.equal(parseEvents(first).at(-1)?.['type'], 'turn_completed');
    for (const text of [...together, await stream()]) assert.equal(text, first);
    assert.deepEqual(trace.started, ['call_0', 'call_1']);
  });

  test('makes one session, however often it is sent at once', async (t) => {
    const server = await startServer(t);
    const made = await Promise.all(Array.from({ length: 5 }, () => server.request('POST', '/v1/sessions', {}, KEY)));
    assert.deepEqual(new Set(made.map(({ status }) => status)), new Set([201]));
    assert.equal(new Set(made.map(({ headers }) => headers.get('location'))).size, 1);
    assert.equal(made.filter(({ headers }) => headers.get('toolexec-replayed') === 'true').length, 4);
    assert.equal((await server.request('GET', '/v1/sessions')).body['data'].length, 1);
  });

  test('that was refused leaves its key free for the request that is right', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const session = await server.session();
    assert.equal((await server.request('POST', `/v1/sessions/${session}/messages`, { role: 'nobody' }, KEY)).status, 400);
    assert.equal((await server.post(session, [call('a', 'Work')], KEY)).status, 200);
    const other = await server.post(session, [call('b', 'Work')], KEY);
    assert.deepEqual([other.status, other.body['type']], [409, '/problems/idempotency-key-reused']);
    assert.equal((await server.post(session, [call('c', 'Work')], { 'idempotency-key': 'with a space' })).status, 400);
  });

  test('means something to the owner of the key alone', async (t) => {
    const server = await startServer(t, { env: { TOOLEXEC_API_KEYS: 'one:first-secret,two:second-secret' } });
    const as = (key: string) => ({ ...KEY, authorization: `Bearer ${key}` });
    const first = await server.request('POST', '/v1/sessions', {}, as('first-secret'));
    const second = await server.request('POST', '/v1/sessions', {}, as('second-secret'));
    assert.notEqual(first.headers.get('location'), second.headers.get('location'));
  });

  test('is not run again when the service was killed in the middle of it', async (t) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'toolexec-data-'));
    t.after(() => rm(dataDir, { recursive: true, force: true }));
    const first = await startProcess(t, { TOOLEXEC_DATA_DIR: dataDir });
    const send = (url: string, body: Json, headers: Json = {}) =>
      fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) });
    const made = await send(`${first.url}/v1/sessions`, { ...everything, execution: { call_ids: 'per_message' } });
    const session = (await made.json()) as Json;
    const path = `/v1/sessions/${session['id']}/messages`;
    const message = assistant([call('call_0', 'Bash', { command: 'echo ran >> effects; sleep 2' })]);
    const lost = send(first.url + path, message, KEY).catch(() => null);
    const effects = join(session['workspace'].path, 'effects');
    while ((await readFile(effects, 'utf8').catch(() => '')) === '') await sleep(20);
    await first.end('SIGKILL');
    await lost;
    const second = await startProcess(t, { TOOLEXEC_DATA_DIR: dataDir });
    const retry = await send(second.url + path, message, KEY);
    assert.equal(retry.headers.get('toolexec-replayed'), 'true');
    assert.equal(((await retry.json()) as Json)['turn'].calls[0].outcome, 'ok', 'its command was taken up');
    assert.equal(await readFile(effects, 'utf8'), 'ran\n');
  });
});

describe('a one-shot message with an Idempotency-Key', () => {
  test('gives its reply again after its session is gone, as JSON and as an event stream', async (t) => {
    const trace = newTrace();
    const server = await startServer(t, { tools: [workTool(trace)] });
    const body = { ...assistant([call('a', 'Work', { label: 'once' })]), session: everything };
    const first = await server.request('POST', '/v1/messages', body, KEY);
    assert.deepEqual((await server.request('GET', '/v1/sessions')).body['data'], []);
    const again = await server.request('POST', '/v1/messages', body, KEY);
    assert.equal(again.headers.get('toolexec-replayed'), 'true');
    assert.deepEqual(again.body, first.body);
    const streamed = parseEvents((await server.request('POST', '/v1/messages', body, { ...KEY, ...STREAM })).body['text']);
    assert.deepEqual([streamed.at(-1)?.['type'], streamed.at(-1)?.['messages']], ['turn_completed', first.body['messages']]);
    assert.deepEqual(trace.started, ['a']);
    assert.equal((await server.request('POST', '/v1/messages', { ...body, ...assistant([]) }, KEY)).status, 409);
  });

  test('whose client leaves is joined by the repeat and runs once', async (t) => {
    const trace = newTrace();
    const server = await startServer(t, { tools: [workTool(trace)] });
    const body = { ...assistant([call('a', 'Work', { ms: 300, label: 'x' })]), session: everything };
    await sendAndLeave(server, '/v1/messages', { body, headers: KEY, begun: () => trace.started.length > 0 });
    const joined = await server.request('POST', '/v1/messages', body, KEY);
    assert.deepEqual([joined.headers.get('toolexec-replayed'), ...resultsOf(joined.body)], ['true', 'a: done x']);
    assert.deepEqual((await server.request('POST', '/v1/messages', body, KEY)).body, joined.body);
    assert.deepEqual(trace.started, ['a']);
  });
});
