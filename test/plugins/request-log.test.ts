import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, test, after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { startProcess, type ServerProcess } from '../support/process.ts';
import { assistant, call, TestSocket, type Json } from '../support/server.ts';

describe('a log line', () => {
  const ends: (() => unknown)[] = [];
  let server: ServerProcess;
  before(async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'toolexec-log-'));
    server = await startProcess(
      { after: (end: () => unknown) => void ends.push(end) },
      { TOOLEXEC_DATA_DIR: dataDir, TOOLEXEC_API_KEYS: 'somebody:first-secret', TOOLEXEC_LOG_LEVEL: 'debug' },
    );
    ends.push(() => rm(dataDir, { recursive: true, force: true }));
  });
  after(async () => {
    for (const end of ends) await end();
    await server.exited;
  });

  const headers = { authorization: 'Bearer first-secret', 'content-type': 'application/json' };
  async function request(method: string, path: string, { body, id }: { body?: Json; id?: string } = {}): Promise<Response> {
    return fetch(server.url + path, {
      method,
      headers: { ...headers, ...(id !== undefined && { 'x-request-id': id }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  }
  async function session(): Promise<string> {
    const made = await request('POST', '/v1/sessions', { body: { permissions: { mode: 'bypassPermissions' } } });
    return ((await made.json()) as Json)['id'] as string;
  }
  async function lines(isIt: (line: Json) => boolean, count: number): Promise<Json[]> {
    for (const end = performance.now() + 20_000; performance.now() < end; await sleep(10)) {
      const found = server.log.flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Json] : [])).filter(isIt);
      if (found.length >= count) return found;
    }
    throw new Error(`The lines did not come: ${server.log.join('\n')}`);
  }

  test('of a request, its turn and its calls says which request, session, turn and key it belongs to', async () => {
    const id = await session();
    const message = assistant([call('a', 'Glob', { pattern: '*' }), call('b', 'Glob', { pattern: '*' })]);
    const reply = await request('POST', `/v1/sessions/${id}/messages`, { body: message, id: 'my-request.1' });
    const { turn } = (await reply.json()) as Json;
    assert.equal(reply.headers.get('x-request-id'), 'my-request.1');
    const told = await lines(({ request_id }) => request_id === 'my-request.1', 5);
    assert.deepEqual(told.map(({ msg }) => msg as string).toSorted(), [
      'call ended',
      'call ended',
      'request answered',
      'turn ended',
      'turn started',
    ]);
    for (const line of told) {
      assert.deepEqual([line['session_id'], line['key']], [id, 'somebody']);
      if (line['msg'] !== 'request answered') assert.equal(line['turn_id'], turn.id);
    }
  });

  test('of a socket and its turns has the id of the upgrade', async () => {
    const id = await session();
    const socket = new TestSocket(
      new WebSocket(`${server.url.replace('http', 'ws')}/v1/sessions/${id}/stream`, ['toolexec.v1'], {
        headers: { ...headers, 'x-request-id': 'my-socket' },
      }),
    );
    await socket.opened;
    socket.send({ type: 'tool_use', ...call('a', 'Glob', { pattern: '*' }) });
    socket.send({ type: 'end' });
    await socket.type('turn_completed');
    socket.terminate();
    const told = await lines(({ request_id, msg }) => request_id === 'my-socket' && msg === 'call ended', 1);
    assert.equal(told[0]?.['session_id'], id);
  });

  test('has a new id where the client gives none that is sane, and the reply tells it', async () => {
    for (const [given, path] of [
      [undefined, '/healthz'],
      ['x'.repeat(1_000), '/healthz'],
      ['{"forged": "line"}', '/v1/sessions/ses_nope?ticket=tkt_hidden'],
    ] as const) {
      const reply = await request('GET', path, given === undefined ? {} : { id: given });
      const id = reply.headers.get('x-request-id') ?? '';
      assert.match(id, /^req_[0-9a-f-]{36}$/);
      if (reply.status === 404) assert.equal(((await reply.json()) as Json)['instance'], id);
      const [line] = await lines(({ request_id, msg }) => request_id === id && msg === 'request answered', 1);
      assert.deepEqual([line?.['path'], line?.['status']], [path.split('?')[0], reply.status]);
    }
    assert.ok(!server.log.join('\n').includes('tkt_hidden'));
  });
});
