// A service with one place for commands, which a command holds until a file is there.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { assistant, call, startServer, type Json } from '../support/server.ts';
import { waitFor } from './commands.ts';

const KEYS = { anna: 'key-of-anna-0123456789', bert: 'key-of-bert-0123456789' };
type Name = keyof typeof KEYS;

test('a key with many sessions does not keep a key with one waiting for all of them', async (t) => {
  const service = await opened(t);
  const held = await service.begin('anna', waitFor('go'));
  const waiting: Promise<Json>[] = [];
  for (const [name, line] of [
    ['anna', 'echo anna 1 >> log'],
    ['anna', 'echo anna 2 >> log'],
    ['bert', 'echo bert >> log'],
    ['anna', 'echo anna 3 >> log'],
  ] as const) {
    waiting.push((await service.begin(name, line)).reply);
  }
  await service.release();
  await Promise.all([held.reply, ...waiting]);
  assert.deepEqual((await readFile(join(service.root, 'log'), 'utf8')).trim().split('\n'), ['anna 1', 'bert', 'anna 2', 'anna 3']);
});

test('the time that a call waits for a place is time in the queue, and none of the call', async (t) => {
  const service = await opened(t);
  const held = await service.begin('anna', waitFor('go'));
  const { reply } = await service.begin('bert', 'true');
  await sleep(1_500);
  await service.release();
  const [ran] = (await reply)['turn'].calls as [Json];
  assert.equal(ran['outcome'], 'ok');
  assert.ok(ran['duration_ms'] < ran['queued_ms'], JSON.stringify(ran));
  const [holder] = (await held.reply)['turn'].calls as [Json];
  assert.ok(holder['queued_ms'] < holder['duration_ms'], JSON.stringify(holder));
});

async function opened(t: TestContext) {
  const keys = Object.entries(KEYS).map((pair) => pair.join(':'));
  const env = { TOOLEXEC_MAX_PROCESSES: '1', TOOLEXEC_SANDBOX: 'off', TOOLEXEC_API_KEYS: keys.join(',') };
  const server = await startServer(t, { env });
  const { root } = server;
  const ask = async (name: Name, method: string, path: string, body?: Json): Promise<Json> =>
    (await server.request(method, path, body, { authorization: `Bearer ${KEYS[name]}` })).body;
  return {
    root,
    release: () => writeFile(join(root, 'go'), ''),
    /** Runs a line in a session of its own, and returns once its call is under way: it runs, or waits for a place. */
    async begin(name: Name, command: string) {
      const { id } = await ask(name, 'POST', '/v1/sessions', { workspace: { path: root }, permissions: { mode: 'bypassPermissions' } });
      const reply = ask(name, 'POST', `/v1/sessions/${id}/messages`, assistant([call('a', 'Bash', { command })]));
      for (let state: unknown; state !== 'executing'; await sleep(50)) {
        const [turn] = (await ask(name, 'GET', `/v1/sessions/${id}/turns`))['data'] as Json[];
        state = turn?.['calls'][0]?.state;
      }
      return { reply };
    },
  };
}
