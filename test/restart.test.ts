import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { startProcess } from './support/process.ts';
import { assistant, call, resultsOf, startServer, TestSocket, type Json } from './support/server.ts';
import { workTool } from './support/test-tools.ts';

async function dataDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'toolexec-data-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** Ids of the processes whose command line is this. */
async function processesWith(line: string): Promise<string[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return ids.filter((_, index) => lines[index]?.replaceAll('\0', ' ').trim() === line);
}

async function ask(url: string, method: string, path: string, body?: unknown): Promise<{ status: number; body: Json; headers: Headers }> {
  const response = await fetch(url + path, {
    method,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Json), headers: response.headers };
}

describe('a restart', () => {
  test('keeps sessions, results and the log', async (t) => {
    const dataDir = await dataDirectory(t);
    const first = await startServer(t, { dataDir, tools: [workTool()] });
    const session = await first.session({ metadata: { kept: true } });
    const { body: reply } = await first.post(session, [call('a', 'Work', { label: 'x' })]);
    const { body: log } = await first.request('GET', `/v1/sessions/${session}/events`, undefined, { accept: 'application/json' });
    await first.close();
    const second = await startServer(t, { dataDir, tools: [workTool()] });
    assert.deepEqual((await second.request('GET', `/v1/sessions/${session}`)).body['metadata'], { kept: true });
    const { body: after } = await second.request('GET', `/v1/sessions/${session}/events`, undefined, { accept: 'application/json' });
    assert.deepEqual(after, log);
    const replay = await second.post(session, [call('a', 'Work', { label: 'x' })]);
    assert.equal(replay.headers.get('toolexec-replayed'), 'true');
    assert.deepEqual(replay.body['messages'], reply['messages']);
    const next = await second.post(session, [call('b', 'Work')]);
    assert.equal(next.body['turn'].last_seq, log['last_seq'] + 6);
  });

  test('after kill -9 in the middle of a turn gives every call exactly one result, in order, and runs nothing twice', async (t) => {
    const dataDir = await dataDirectory(t);
    const first = await startProcess(t, { TOOLEXEC_DATA_DIR: dataDir });
    const { body: session } = await ask(first.url, 'POST', '/v1/sessions', { permissions: { mode: 'bypassPermissions' } });
    const file = join(session['workspace'].path, 'effects');
    const message = assistant([
      call('done', 'Bash', { command: 'echo done >> effects' }),
      call('running', 'Bash', { command: 'echo running >> effects; sleep 2' }),
      call('waiting', 'Bash', { command: 'echo waiting >> effects' }),
    ]);
    const lost = ask(first.url, 'POST', `/v1/sessions/${session['id']}/messages`, message).catch(() => null);
    while (!(await readFile(file, 'utf8').catch(() => '')).includes('running')) await sleep(20);
    await first.end('SIGKILL');
    await lost;

    const second = await startProcess(t, { TOOLEXEC_DATA_DIR: dataDir });
    const retry = await ask(second.url, 'POST', `/v1/sessions/${session['id']}/messages`, message);
    assert.equal(retry.headers.get('toolexec-replayed'), 'true');
    assert.deepEqual(
      retry.body['turn'].calls.map((c: Json) => `${c['tool_use_id']} ${c['outcome']}`),
      ['done ok', 'running ok', 'waiting ok'],
    );
    assert.equal(resultsOf(retry.body).length, 3);
    assert.equal(await readFile(file, 'utf8'), 'done\nrunning\nwaiting\n');
    const { body: log } = await ask(second.url, 'GET', `/v1/sessions/${session['id']}/events?follow=false`).catch(() => ({ body: {} }));
    const events = (await (
      await fetch(`${second.url}/v1/sessions/${session['id']}/events`, { headers: { accept: 'application/json' } })
    ).json()) as Json;
    assert.ok(log);
    const results = events['data'].filter(({ type }: Json) => type === 'tool_result').map(({ tool_use_id }: Json) => tool_use_id);
    assert.deepEqual(results, ['done', 'running', 'waiting']);
    assert.deepEqual(
      events['data'].map(({ seq }: Json) => seq),
      events['data'].map((_: Json, index: number) => index + 1),
    );
    assert.equal(events['data'].at(-1).type, 'turn_completed');
    assert.equal(
      (await ask(second.url, 'POST', `/v1/sessions/${session['id']}/messages`, assistant([call('next', 'Bash', { command: 'true' })])))
        .status,
      200,
    );
    assert.equal(await second.end('SIGTERM'), 0);
  });
});

describe('SIGTERM', () => {
  test('lets running turns finish, refuses new ones, tells sockets to reconnect, and ends with 0', async (t) => {
    const server = await startProcess(t, { TOOLEXEC_DATA_DIR: await dataDirectory(t) });
    const { body: session } = await ask(server.url, 'POST', '/v1/sessions', { permissions: { mode: 'bypassPermissions' } });
    const path = `/v1/sessions/${session['id']}`;
    const socket = new TestSocket(new WebSocket(`${server.url.replace('http', 'ws')}${path}/stream`, ['toolexec.v1']));
    await socket.type('session');
    socket.send({ type: 'message', message: assistant([call('a', 'Bash', { command: 'sleep 1; echo finished' })]) });
    await socket.type('call_started');
    const ended = server.end('SIGTERM');
    await sleep(200);
    socket.send({ type: 'message', message: assistant([call('b', 'Bash', { command: 'true' })]) });
    assert.equal((await socket.type('error'))['problem'].type, '/problems/draining');
    const done = await socket.type('turn_completed');
    assert.match(resultsOf(done)[0] ?? '', /finished/);
    assert.equal((await socket.closed).code, 1001);
    assert.equal(await ended, 0);
  });

  test('past the grace aborts what still runs: each call has its result, and no process is left', async (t) => {
    const dataDir = await dataDirectory(t);
    const server = await startProcess(t, { TOOLEXEC_DATA_DIR: dataDir, TOOLEXEC_DRAIN_GRACE_MS: '300' });
    const { body: session } = await ask(server.url, 'POST', '/v1/sessions', { permissions: { mode: 'bypassPermissions' } });
    // A number that no other process has: in a sandbox a command does not know its own.
    const seconds = `60.${process.pid}${Date.now() % 10_000}`;
    const posted = ask(
      server.url,
      'POST',
      `/v1/sessions/${session['id']}/messages`,
      assistant([call('a', 'Bash', { command: `echo > pid; sleep ${seconds}` })]),
    );
    const pidFile = join(session['workspace'].path, 'pid');
    while ((await readFile(pidFile, 'utf8').catch(() => '')) === '') await sleep(20);
    assert.equal(await server.end('SIGTERM'), 0);
    const { body } = await posted;
    assert.deepEqual([body['turn'].status, body['turn'].calls[0].outcome], ['aborted', 'aborted']);
    assert.deepEqual(await processesWith(`sleep ${seconds}`), []);
  });
});

describe('the start', () => {
  test('is refused with one clear line for a setting that is wrong', async (t) => {
    const dataDir = await dataDirectory(t);
    for (const [name, value] of [
      ['TOOLEXEC_PORT', 'abc'],
      ['TOOLEXEC_MAX_TOOL_USE_CONCURRENCY', '0'],
      ['CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY', '2.5'],
      ['TOOLEXEC_LOG_LEVEL', 'loud'],
      ['TOOLEXEC_HOST', '0.0.0.0'],
      ['TOOLEXEC_CONFIG', '/nowhere.json'],
      ['TOOLEXEC_API_KEYS', 'nocolon'],
    ] as const) {
      await assert.rejects(startProcess(t, { TOOLEXEC_DATA_DIR: dataDir, [name]: value }), (error: Error) => {
        assert.match(error.message, new RegExp(`ended with 1: .*${name}`), error.message);
        assert.equal(error.message.split('\n').length, 1);
        return true;
      });
    }
  });
});
