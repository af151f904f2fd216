// Sessions with open turns whose process has ended are told of by whoever goes on with them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sharedStore } from '../cluster/shared-store.ts';
import { startProcess, type ServerProcess } from '../support/process.ts';
import { assistant, call, type Json } from '../support/server.ts';

const shared = await sharedStore(3_000);
const env = { ...shared.env, TOOLEXEC_DATA_DIR: shared.directory('takeovers') };
const NEVER_MS = 60_000;

async function ask({ url }: ServerProcess, path: string, body: Json): Promise<Json> {
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  return (await reply.json()) as Json;
}

async function takeovers({ url }: ServerProcess): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^toolexec_takeovers_total (\d+)$/m.exec(text)?.[1]);
}

test('a node that goes on with sessions of a killed one counts and logs each of them once', async (t) => {
  const [killed, other] = await Promise.all([startProcess(t, env), startProcess(t, env)]);
  const ids: string[] = [];
  for (const which of ['a', 'b']) {
    const { id } = await ask(killed, '/v1/sessions', { permissions: { mode: 'default', ask: ['Bash'] } });
    const asked = await ask(killed, `/v1/sessions/${id}/messages`, assistant([call(which, 'Bash', { command: 'touch made' })]));
    assert.equal(asked['turn'].status, 'requires_action');
    // Two turns of one session are one session.
    await fetch(`${killed.url}/v1/sessions/${id}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: 'respond-async' },
      body: JSON.stringify(assistant([call(`${which}2`, 'Bash', { command: 'touch more' })])),
    });
    ids.push(id);
  }
  // One that waits for nothing is no work that was left.
  await ask(killed, '/v1/sessions', {});
  assert.deepEqual([await takeovers(killed), await takeovers(other)], [0, 0]);
  await killed.end('SIGKILL');
  const until = performance.now() + NEVER_MS;
  while ((await takeovers(other)) < ids.length && performance.now() < until) await sleep(50);
  assert.equal(await takeovers(other), ids.length);
  const taken = (): string[] => other.log.filter((line) => line.includes('taken over'));
  while (taken().length < ids.length && performance.now() < until) await sleep(50);
  const lines = taken().map((line) => JSON.parse(line) as Json);
  assert.deepEqual(lines.map(({ session_id: id }) => id as string).toSorted(), ids.toSorted());
});
