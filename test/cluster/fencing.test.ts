// A node that stands still for longer than its lease, and comes back while another does its work.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { textAt } from '../support/crash.ts';
import { startProcess } from '../support/process.ts';
import { DURABLE, startRedis } from '../support/redis.ts';
import { assistant, call, resultsOf, type Json } from '../support/server.ts';
import { assertDense, callsOf } from '../support/session-log.ts';

const SERVICE = fileURLToPath(new URL('../support/marking-service.ts', import.meta.url));
const redis = await startRedis(DURABLE);
const base = await mkdtemp(join(tmpdir(), 'toolexec-fencing-'));
after(async () => {
  await redis.end();
  await rm(base, { recursive: true, force: true });
});

async function ask(url: string, method: string, path: string, body?: Json): Promise<{ status: number; headers: Headers; body: Json }> {
  const reply = await fetch(`${url}${path}`, {
    method,
    headers: { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: reply.status, headers: reply.headers, body: (await reply.json()) as Json };
}

test('what a node finds done after it stood still reaches neither the log nor its clients, and it begins nothing more', async (t) => {
  const env = { TOOLEXEC_STORE: redis.url, TOOLEXEC_LEASE_TTL_MS: '3000', TOOLEXEC_DATA_DIR: base };
  const [a, b] = await Promise.all([startProcess(t, env, SERVICE), startProcess(t, env, SERVICE)]);
  const { body: session } = await ask(a.url, 'POST', '/v1/sessions', { permissions: { mode: 'bypassPermissions' } });
  const path = `/v1/sessions/${session['id']}`;
  const workspace = session['workspace'].path as string;
  const message = assistant([call('a', 'Marks', { ms: 1_000 }), call('b', 'Marks', { reads: true }), call('c', 'Marks')]);
  const posted = ask(a.url, 'POST', `${path}/messages`, message);
  while (!(await textAt(workspace, 'marks')).includes('a')) await sleep(10);
  process.kill(a.pid, 'SIGSTOP');
  let reply = await ask(b.url, 'POST', `${path}/messages`, message);
  while (reply.status === 503) {
    await sleep(50);
    reply = await ask(b.url, 'POST', `${path}/messages`, message);
  }
  process.kill(a.pid, 'SIGCONT');
  const late = await posted;
  assert.equal(late.status, 503);
  assert.ok(Number(late.headers.get('retry-after')) > 0);
  assert.equal(reply.headers.get('toolexec-replayed'), 'true');
  assert.deepEqual(
    reply.body['turn'].calls.map(({ outcome }: Json) => outcome),
    ['outcome_unknown', 'ok', 'ok'],
  );
  assert.deepEqual(resultsOf(reply.body).slice(1), [`b: marked by ${b.pid}`, `c: marked by ${b.pid}`]);
  // The node that stood still is at work again, and has nothing of that session to tell.
  const { body: fresh } = await ask(a.url, 'POST', '/v1/sessions', { permissions: { mode: 'bypassPermissions' } });
  const here = await ask(a.url, 'POST', `/v1/sessions/${fresh['id']}/messages`, assistant([call('x', 'Marks', { ms: 1_000 })]));
  assert.equal(here.status, 200);
  assert.equal(await textAt(workspace, 'marks'), 'a\nb\nc\n');
  const { body: log } = await ask(b.url, 'GET', `${path}/events`);
  const events = log['data'] as Json[];
  assertDense(events);
  for (const type of ['call_finished', 'tool_result']) assert.deepEqual(callsOf(events, type), ['a', 'b', 'c'], type);
  assert.equal(events.filter(({ type }) => type === 'turn_completed').length, 1);
});
