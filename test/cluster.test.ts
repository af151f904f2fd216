// Several nodes that share a Redis and a data directory.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startProcess, type ServerProcess } from './support/process.ts';
import { DURABLE, startRedis } from './support/redis.ts';
import { assistant, call, startServer, type Json } from './support/server.ts';

const redis = await startRedis(DURABLE);
const base = await mkdtemp(join(tmpdir(), 'toolexec-cluster-'));
after(async () => {
  await redis.end();
  await rm(base, { recursive: true, force: true });
});
const env = { TOOLEXEC_STORE: redis.url, TOOLEXEC_LEASE_TTL_MS: '1500' };

async function ask(
  { url }: Pick<ServerProcess, 'url'>,
  method: string,
  path: string,
  body?: Json,
): Promise<{ status: number; headers: Headers; body: Json }> {
  const reply = await fetch(`${url}${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  return { status: reply.status, headers: reply.headers, body: (await reply.json()) as Json };
}

test('a session on Redis runs its messages, and is there after a restart of its node', async (t) => {
  const dataDir = join(base, 'restart');
  const first = await startServer(t, { env, dataDir });
  const id = await first.session();
  const calls = [call('a', 'Bash', { command: 'echo one' }), call('b', 'Bash', { command: 'echo two > made' })];
  const { body } = await first.post(id, calls);
  assert.equal(body['turn'].status, 'completed');
  await first.close();
  const second = await startServer(t, { env, dataDir });
  const again = await second.post(id, calls);
  assert.equal(again.headers.get('toolexec-replayed'), 'true');
  assert.deepEqual(again.body['messages'], body['messages']);
  const { body: log } = await second.request('GET', `/v1/sessions/${id}/events?follow=false`, undefined, { accept: 'application/json' });
  assert.deepEqual(
    log['data'].map(({ seq }: Json) => seq),
    Array.from({ length: log['last_seq'] }, (_, index) => index + 1),
  );
});

test('one node works on a session, and another says so until that has let go of it', async (t) => {
  const dataDir = join(base, 'two');
  const [one, two] = await Promise.all([startServer(t, { env, dataDir }), startServer(t, { env, dataDir })]);
  const id = await one.session();
  const refused = await two.request('GET', `/v1/sessions/${id}`);
  assert.equal(refused.status, 503);
  assert.equal(refused.body['type'], '/problems/session-elsewhere');
  assert.ok(Number(refused.headers.get('retry-after')) > 0);
  const { body: list } = await two.request('GET', '/v1/sessions');
  assert.ok(
    list['data'].some((session: Json) => session['id'] === id),
    'it can be seen there',
  );
  await one.close();
  assert.equal((await two.request('GET', `/v1/sessions/${id}`)).status, 200);
});

test('what a killed node was doing is taken over by another, which runs nothing twice', async (t) => {
  const dataDir = join(base, 'killed');
  const settings = { ...env, TOOLEXEC_DATA_DIR: dataDir };
  const [one, two] = await Promise.all([startProcess(t, settings), startProcess(t, settings)]);
  const { body: session } = await ask(one, 'POST', '/v1/sessions', { permissions: { mode: 'bypassPermissions' } });
  const id = session['id'] as string;
  const workspace = session['workspace'].path as string;
  const line = 'echo x >> effects; sleep 1000';
  void ask(
    one,
    'POST',
    `/v1/sessions/${id}/messages`,
    assistant([call('a', 'Bash', { command: line }), call('b', 'Glob', { pattern: '*' })]),
  ).catch(() => {});
  while ((await readFile(join(workspace, 'effects'), 'utf8').catch(() => '')) === '') await wait(20);
  await one.end('SIGKILL');
  let turn: Json | undefined;
  while (turn?.['status'] !== 'completed') {
    await wait(100);
    const { status, body } = await ask(two, 'GET', `/v1/sessions/${id}/turns`);
    if (status === 200) [turn] = body['data'] as Json[];
  }
  assert.deepEqual(
    turn['calls'].map(({ outcome }: Json) => outcome),
    ['outcome_unknown', 'ok'],
  );
  assert.equal(await readFile(join(workspace, 'effects'), 'utf8'), 'x\n');
  await two.end('SIGTERM');
});
