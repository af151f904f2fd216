import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { workTool } from '../support/test-tools.ts';
import { call, startServer, type Json, type TestServer } from '../support/server.ts';

async function readSse(server: TestServer, path: string, headers: Record<string, string> = {}): Promise<Json[]> {
  const response = await fetch(server.url + path, { headers: { accept: 'text/event-stream', ...headers } });
  assert.equal(response.status, 200);
  const text = await response.text();
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? '') as Json);
}

describe('the event log', () => {
  test('counts from 1 without a gap and tells each call’s life in order', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const session = await server.session();
    await server.post(session, [call('a', 'Work', { ms: 20 }), call('b', 'Work'), call('c', 'Work', { safe: false })]);
    const { body } = await server.request('GET', `/v1/sessions/${session}/events`, undefined, { accept: 'application/json' });
    const events = body['data'] as Json[];
    assert.deepEqual(
      events.map(({ seq }) => seq),
      events.map((_, index) => index + 1),
    );
    assert.equal(body['last_seq'], events.length);
    assert.deepEqual([events[0]?.['type'], events.at(-1)?.['type']], ['turn_started', 'turn_completed']);
    for (const id of ['a', 'b', 'c']) {
      const life = events.filter((event) => event['tool_use_id'] === id).map(({ type }) => type);
      assert.deepEqual(life, ['call_queued', 'call_started', 'call_finished', 'tool_result']);
    }
    assert.deepEqual(
      events.filter(({ type }) => type === 'tool_result').map((event) => [event['index'], event['tool_use_id']]),
      [
        [0, 'a'],
        [1, 'b'],
        [2, 'c'],
      ],
    );
    for (const event of events) assert.ok(event['time'] && event['session_id'] === session && event['turn_id']);
  });

  test('is resumed from Last-Event-ID or after, and ends at the present when asked to', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const session = await server.session();
    await server.post(session, [call('a', 'Work')]);
    const all = await readSse(server, `/v1/sessions/${session}/events?follow=false`);
    assert.equal(all.length, 6);
    const rest = await readSse(server, `/v1/sessions/${session}/events?follow=false&after=4`);
    assert.deepEqual(rest, all.slice(4));
    assert.deepEqual(await readSse(server, `/v1/sessions/${session}/events?follow=false`, { 'last-event-id': '4' }), rest);
    assert.equal((await server.request('GET', `/v1/sessions/${session}/events`, undefined, { 'last-event-id': 'x' })).status, 400);
  });

  test('goes on live for a reader that follows', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const session = await server.session();
    const leaving = new AbortController();
    const response = await fetch(`${server.url}/v1/sessions/${session}/events`, { signal: leaving.signal });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    await server.post(session, [call('a', 'Work')]);
    let text = '';
    while (!text.includes('turn_completed')) text += (await reader?.read())?.value ?? '';
    assert.match(text, /^id: 1\nevent: turn_started\ndata: /);
    leaving.abort();
  });

  test('tells a reader of what was trimmed before it goes on', async (t) => {
    const { mkdtemp, writeFile } = await import('node:fs/promises');
    const directory = await mkdtemp('/tmp/toolexec-config-');
    await writeFile(`${directory}/c.json`, JSON.stringify({ limits: { log_events: 20 } }));
    const server = await startServer(t, { tools: [workTool()], env: { TOOLEXEC_CONFIG: `${directory}/c.json` } });
    const session = await server.session();
    for (let n = 0; n < 10; n += 1) await server.post(session, [call(`c${n}`, 'Work')]);
    const events = await readSse(server, `/v1/sessions/${session}/events?follow=false`);
    const [gap, next] = events;
    assert.deepEqual([gap?.['type'], gap?.['from']], ['gap', 1]);
    assert.equal(next?.['seq'], gap?.['to'] + 1);
    assert.equal(events.at(-1)?.['seq'], 60);
    assert.ok(events.length <= 24);
  });

  test('carries progress live, without a number, and does not keep it', async (t) => {
    const server = await startServer(t);
    const session = await server.session();
    const socket = await server.socket(`/v1/sessions/${session}/stream`);
    socket.send({ type: 'tool_use', id: 'a', name: 'Bash', input: { command: 'echo hi; sleep 0.3; echo there' } });
    socket.send({ type: 'end' });
    const progress = await socket.type('progress');
    assert.deepEqual([progress['tool_use_id'], progress['data'].kind, progress['seq']], ['a', 'output', undefined]);
    assert.match(progress['data'].text, /hi/);
    await socket.type('turn_completed');
    const { body } = await server.request('GET', `/v1/sessions/${session}/events`, undefined, { accept: 'application/json' });
    assert.ok(!body['data'].some(({ type }: Json) => type === 'progress'));
  });
});
