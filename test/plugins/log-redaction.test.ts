import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { pino } from 'pino';
import { WebSocket } from 'ws';
import { logRedaction } from '../../src/plugins/observe/log-redaction.ts';
import { startProcess } from '../support/process.ts';
import { assistant, call, TestSocket, type Json } from '../support/server.ts';

const CANARY = 'canary-Zk3vQ8xw-key';
const ENCODED = Buffer.from(CANARY).toString('base64url');

describe('a log line', () => {
  test('never shows a key or ticket, wherever it stands, and stays one line of JSON', () => {
    const lines: string[] = [];
    const log = pino({ level: 'trace', ...logRedaction }, { write: (line) => void lines.push(line) });
    const ticket = `tkt_${CANARY}`;
    log.info(`asked with Bearer ${CANARY}`);
    log.info({ url: `/v1/sessions/ses_1/stream?after=3&ticket=${CANARY}&x=1` }, 'upgrade');
    log.error({ err: new Error(`bad header "authorization: bearer ${CANARY}"`, { cause: new Error(ticket) }) }, 'failed');
    log.warn({ req: { headers: { authorization: `Basic ${CANARY}`, cookie: CANARY, host: 'kept.example' } } }, 'odd');
    log.info({ headers: { authorization: CANARY } }, `protocols toolexec.v1, toolexec.key.${ENCODED}`);
    log.child({ note: `Bearer   ${CANARY}\n` }).debug(`${ticket}" and 'Bearer ${CANARY}'`);
    assert.equal(lines.length, 6);
    for (const line of lines) {
      assert.ok(!line.includes(CANARY) && !line.includes(ENCODED), line);
      assert.ok(typeof (JSON.parse(line) as Json)['level'] === 'number');
    }
    const told = lines.join('');
    for (const kept of ['after=3', 'x=1', 'kept.example', 'upgrade', 'bad header']) assert.ok(told.includes(kept), kept);
  });
});

/** All that is kept in a directory. */
async function contents(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1'));
  return (await Promise.all(files)).join('\n');
}

async function temporary(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'toolexec-canary-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

test('what the service prints, answers, tells and keeps never holds a key or ticket, whatever it is asked', async (t) => {
  const dataDir = await temporary(t);
  const server = await startProcess(t, {
    TOOLEXEC_DATA_DIR: dataDir,
    TOOLEXEC_API_KEYS: `one:${CANARY}`,
    TOOLEXEC_LOG_LEVEL: 'trace',
  });
  const replies: string[] = [];
  const request = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Json> => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const all = { authorization: `Bearer ${CANARY}`, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers };
    const response = await fetch(server.url + path, { method, headers: all, ...(text !== undefined && { body: text }) });
    const answer = await response.text();
    // What a client gets when it asks for a ticket is the one place where a ticket may stand.
    if (!path.endsWith('/tickets')) replies.push(`${JSON.stringify([...response.headers])} ${answer}`);
    return response.headers.get('content-type')?.startsWith('application/json') ? (JSON.parse(answer) as Json) : {};
  };
  const open = async (path: string, protocols: string[] = []): Promise<TestSocket> => {
    const socket = new TestSocket(new WebSocket(server.url.replace('http', 'ws') + path, ['toolexec.v1', ...protocols]));
    t.after(() => socket.terminate());
    await socket.opened;
    return socket;
  };

  const { id } = await request('POST', '/v1/sessions', { permissions: { mode: 'bypassPermissions' } });
  const path = `/v1/sessions/${id}`;
  const tickets: string[] = [];
  for (let n = 0; n < 4; n += 1) tickets.push((await request('POST', `${path}/tickets`))['ticket'] as string);
  const sockets = [
    await open(`${path}/stream`, [`toolexec.key.${ENCODED}`]),
    await open(`${path}/stream?ticket=${tickets[0]}`),
    await open(`${path}/stream?after=-1&ticket=${tickets[1]}`),
    await open(`${path}/stream?ticket=${tickets[0]}`),
    await open('/v1/sessions/ses_nope/stream', [`toolexec.key.${ENCODED}`]),
  ];
  for (const socket of sockets) if (socket !== sockets[3] && socket !== sockets[4]) await socket.type('session');
  sockets[1]?.send('{"type":');
  await request('POST', `${path}/messages`, assistant([call('a', 'Bash', { command: 'env; cat /proc/self/environ' })]));
  await request('GET', `${path}/events?follow=false&ticket=${tickets[2]}`, undefined, { authorization: '' });
  await request('GET', `${path}/events?follow=x&ticket=${tickets[3]}`, undefined, { authorization: '' });
  await request('GET', `/nope?ticket=${tickets[3]}&key=${ENCODED}`);
  await request('GET', `${path}/turns?limit=x&ticket=${tickets[3]}`);
  await request('POST', '/v1/sessions', '{"x":', { 'idempotency-key': 'k' });
  await request('POST', '/v1/sessions', {}, { 'idempotency-key': 'k' });
  await request('GET', '/v1/sessions', undefined, { origin: 'https://evil.example' });
  await request('GET', `${path}/audit`);
  await request('GET', '/metrics');
  for (const socket of sockets) replies.push(JSON.stringify(socket.frames));
  assert.equal(await server.end('SIGTERM'), 0);

  assert.ok(replies.join('').includes('turn_completed'), 'the events are looked through at all');
  assert.ok(
    server.log.some((line) => line.includes('call ended')),
    'the log is looked through at all',
  );
  const places = { log: server.log.join('\n'), replies: replies.join('\n'), 'the data directory': await contents(dataDir) };
  for (const [place, text] of Object.entries(places)) {
    for (const secret of [CANARY, ENCODED, ...tickets]) assert.ok(!text.includes(secret), `${place} has ${secret}`);
  }
});
