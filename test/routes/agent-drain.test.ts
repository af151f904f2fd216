// A service that is told to stop while an agent works: the turn that wants the agent is let run, and so is the agent.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastWords, startModelServer, type ScriptedAnswer } from '../support/model-server.ts';
import { startProcess } from '../support/process.ts';
import { assistant, call, resultsOf, type Json } from '../support/server.ts';

const asks = (prompt: string): Json => ({ description: prompt, prompt });
const writes = (file: string): ScriptedAnswer => ({ calls: [{ name: 'Write', input: { file_path: file, content: file } }] });

test('An agent that works when the service is told to stop makes its calls still, starts another one, and answers', async (t) => {
  const stopping = Promise.withResolvers<void>();
  const plays: Readonly<Record<string, readonly ScriptedAnswer[]>> = {
    outer: [writes('own.txt'), { calls: [{ name: 'Agent', input: asks('inner') }] }],
    inner: [writes('inner.txt')],
  };
  const model = await startModelServer(t, async (request) => {
    await stopping.promise;
    const [{ content }, ...rest] = request.body['messages'] as [Json, ...Json[]];
    return plays[content[0].text]?.[rest.length / 2] ?? { text: lastWords(request) };
  });
  const dataDir = await mkdtemp(join(tmpdir(), 'toolexec-drain-'));
  t.after(() => rm(dataDir, { recursive: true, force: true }));
  const service = await startProcess(t, {
    TOOLEXEC_DATA_DIR: dataDir,
    TOOLEXEC_DRAIN_GRACE_MS: '60000',
    TOOLEXEC_MODEL_BASE_URL: model.url,
    TOOLEXEC_MODEL: 'scripted',
  });
  const post = async (path: string, body: Json): Promise<Json> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await response.json()) as Json;
  };
  const session = await post('/v1/sessions', { permissions: { mode: 'bypassPermissions' } });
  const message = assistant([call('a', 'Agent', asks('outer'))]);
  const posted = post(`/v1/sessions/${session['id']}/messages`, message);
  await model.request(0);
  const ended = service.end('SIGTERM');
  const ready = () =>
    fetch(`${service.url}/readyz`, { headers: { connection: 'close' } }).then(
      ({ ok }) => ok,
      () => false,
    );
  while (await ready()) await sleep(10);
  stopping.resolve();
  const reply = await posted;
  assert.deepEqual([reply['turn'].status, reply['turn'].calls[0].outcome], ['completed', 'ok']);
  assert.match(resultsOf(reply)[0] ?? '', /inner\.txt/);
  for (const file of ['own.txt', 'inner.txt']) assert.equal(await readFile(join(session['workspace'].path, file), 'utf8'), file);
  assert.equal(await ended, 0);
});
