import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProcess } from '../support/process.ts';
import { assistant, call, startServer, type TestServer } from '../support/server.ts';
import { carefulAlone as careful, newTrace, workTool } from '../support/test-tools.ts';
import { withLimits } from './config-file.ts';
import { parseEvents } from './server-sent-events.ts';

const everything = { permissions: { mode: 'bypassPermissions' } };

async function sessions(server: TestServer): Promise<unknown[]> {
  return (await server.request('GET', '/v1/sessions')).body['data'] as unknown[];
}

describe('a one-shot message', () => {
  for (const accept of ['application/json', 'text/event-stream']) {
    test(`whose client leaves, asking for ${accept}, runs to its end, and its session goes then`, async (t) => {
      const trace = newTrace();
      const server = await startServer(t, { tools: [workTool(trace)] });
      const leaving = new AbortController();
      const sent = fetch(`${server.url}/v1/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept },
        body: JSON.stringify({ ...assistant([call('a', 'Work', { ms: 300 })]), session: everything }),
        signal: leaving.signal,
      }).then((response) => response.text());
      while (trace.started.length === 0) await sleep(5);
      leaving.abort();
      await assert.rejects(sent);
      while ((await sessions(server)).length > 0) await sleep(20);
      assert.deepEqual(trace.finished, ['a']);
      const metrics = (await server.request('GET', '/metrics')).body['text'] as string;
      assert.match(metrics, /toolexec_calls_total\{tool="Work",outcome="ok"\} 1/);
    });
  }

  test('as an event stream ends with its turn and leaves nothing behind', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const body = { ...assistant([call('a', 'Work')]), session: everything };
    const { body: reply } = await server.request('POST', '/v1/messages', body, { accept: 'text/event-stream' });
    assert.equal(parseEvents(reply['text']).at(-1)?.['type'], 'turn_completed');
    assert.deepEqual(await sessions(server), []);
  });

  test('that cannot be read is refused before a session is made for it', async (t) => {
    const server = await startServer(t, { env: await withLimits(t, { sessions_per_key: 1 }) });
    await server.session();
    assert.equal((await server.request('POST', '/v1/messages', { role: 'assistant' })).status, 400);
    assert.equal((await server.request('POST', '/v1/messages', assistant([]))).status, 429);
  });

  test('that holds too many calls leaves no session behind', async (t) => {
    const server = await startServer(t, { tools: [workTool()], env: await withLimits(t, { calls_per_turn: 1 }) });
    assert.equal((await server.request('POST', '/v1/messages', assistant([call('a', 'Work'), call('b', 'Work')]))).status, 400);
    assert.deepEqual(await sessions(server), []);
  });

  test('that runs while the service stops gets its results, and its session goes all the same', async (t) => {
    const trace = newTrace();
    const server = await startServer(t, { tools: [workTool(trace)] });
    const posted = server.request('POST', '/v1/messages', { ...assistant([call('a', 'Work', { ms: 60_000 })]), session: everything });
    while (trace.started.length === 0) await sleep(5);
    await server.close();
    const { body } = await posted;
    assert.deepEqual([body['turn'].status, body['turn'].calls[0].outcome], ['aborted', 'aborted']);
    const again = await startServer(t, { dataDir: server.dataDir });
    assert.deepEqual(await sessions(again), []);
  });

  for (const [what, headers, last] of [
    ['streamed', {}, 'turn_completed'],
    // Whoever repeats it with the key finds its turn as it was.
    ['streamed with an Idempotency-Key', { 'idempotency-key': 'once' }, 'approval_requested'],
  ] as const) {
    test(`that is ${what} and waits for an answer of people does not hold up a service that stops`, async (t) => {
      const server = await startServer(t, { tools: [careful] });
      const response = await fetch(`${server.url}/v1/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
        body: JSON.stringify(assistant([call('a', 'Careful')])),
      });
      let text = '';
      let closing: Promise<void> | undefined;
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += chunk;
        if (/approval_requested|turn_completed/.test(text)) closing ??= server.close();
      }
      await closing;
      assert.equal(parseEvents(text).at(-1)?.['type'], last);
    });
  }

  test('that is not streamed asks nobody: what would ask is denied at once', async (t) => {
    const server = await startServer(t, { tools: [careful] });
    const { body } = await server.request('POST', '/v1/messages', assistant([call('a', 'Careful')]));
    assert.deepEqual([body['turn'].status, body['turn'].calls[0].outcome], ['completed', 'denied']);
    assert.deepEqual(await sessions(server), []);
  });

  test('leaves nothing behind when the service is killed in the middle of it, and is found again where it has a key', async (t) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'toolexec-data-'));
    t.after(() => rm(dataDir, { recursive: true, force: true }));
    const first = await startProcess(t, { TOOLEXEC_DATA_DIR: dataDir });
    const post = (url: string, id: string, headers: Record<string, string>) =>
      fetch(`${url}/v1/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ ...assistant([call(id, 'Bash', { command: 'touch begun; sleep 3' })]), session: everything }),
      });
    const key = { 'idempotency-key': 'once' };
    const lost = Promise.allSettled([post(first.url, 'a', {}), post(first.url, 'b', key), post(first.url, 'c', {})]);
    const begun = async (): Promise<string[]> =>
      (await readdir(dataDir, { recursive: true }).catch(() => [])).filter((path) => path.endsWith('begun'));
    while ((await begun()).length < 3) await sleep(20);
    await first.end('SIGKILL');
    await lost;

    const second = await startProcess(t, { TOOLEXEC_DATA_DIR: dataDir });
    const { data } = (await (await fetch(`${second.url}/v1/sessions`)).json()) as { data: { id: string }[] };
    assert.equal(data.length, 1);
    assert.deepEqual(await readdir(join(dataDir, 'sessions')), [data[0]?.id]);
    const again = await post(second.url, 'b', key);
    const { turn } = (await again.json()) as { turn: { calls: { outcome: string }[] } };
    assert.equal(again.headers.get('toolexec-replayed'), 'true');
    assert.deepEqual(
      turn.calls.map(({ outcome }) => outcome),
      ['ok'],
      'its command was taken up',
    );
  });
});
