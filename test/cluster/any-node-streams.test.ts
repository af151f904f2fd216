// Sockets and streams of a session at the node that does not work on it: as they would be at the one that does.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseEvents } from '../routes/server-sent-events.ts';
import { assistant, call, resultsOf, startServer, type Json, type TestSocket } from '../support/server.ts';
import { sharedStore } from './shared-store.ts';

const shared = await sharedStore(15_000);

const seqsOf = (events: readonly Json[]): number[] => events.flatMap(({ seq }) => (typeof seq === 'number' ? [seq] : []));
const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);
const labels = (count: number): string[] => Array.from({ length: count }, (_, index) => `c${index}`);

test('a session is followed and driven at every node', async (t) => {
  const dataDir = shared.directory('two');
  const { env } = shared;
  const [owner, other] = await Promise.all([startServer(t, { env, dataDir }), startServer(t, { env, dataDir })]);
  const json = { accept: 'application/json' };
  const made = (options: Json = {}): Promise<string> => owner.session(options);
  const logOf = async (id: string): Promise<Json[]> =>
    (await owner.request('GET', `/v1/sessions/${id}/events?follow=false`, undefined, json)).body['data'] as Json[];

  await t.test('events are followed as they happen, each once', async () => {
    const id = await made();
    const stream = await fetch(`${other.url}/v1/sessions/${id}/events`, { headers: { accept: 'text/event-stream' } });
    assert.equal(stream.headers.get('x-accel-buffering'), 'no');
    const { turn } = (
      await owner.post(
        id,
        labels(20).map((label) => call(label, 'Bash', { command: `echo ${label}` })),
      )
    ).body;
    let text = '';
    for await (const piece of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece;
      if (text.includes('event: turn_completed')) break;
    }
    const events = parseEvents(text);
    assert.deepEqual(seqsOf(events), upTo(turn['last_seq']));
    const results = events.filter(({ type }) => type === 'tool_result');
    assert.deepEqual(
      results.map(({ tool_use_id: callId }) => callId as string),
      labels(20),
    );
    const page = await other.request('GET', `/v1/sessions/${id}/events?after=3&follow=false`, undefined, json);
    assert.deepEqual(seqsOf(page.body['data']), upTo(turn['last_seq']).slice(3));
    assert.deepEqual(page.body['data'], (await logOf(id)).slice(3));
  });

  await t.test('a message is answered as a stream', async () => {
    const id = await made();
    const reply = await fetch(`${other.url}/v1/sessions/${id}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify(assistant([call('a', 'Bash', { command: 'echo a' })])),
    });
    const events = parseEvents(await reply.text());
    assert.deepEqual([events[0]?.['type'], events.at(-1)?.['type']], ['turn_started', 'turn_completed']);
  });

  await t.test('a socket runs calls, asks for approvals and client results, and follows', async () => {
    const id = await made({
      permissions: { mode: 'bypassPermissions', ask: ['Bash'] },
      tools: { custom: [{ name: 'pick_color', description: 'Asks.', input_schema: { type: 'object' }, client: true }] },
    });
    const socket = await other.socket(`/v1/sessions/${id}/stream`);
    assert.equal(socket.protocol, 'toolexec.v1');
    assert.equal((await socket.type('session'))['session'].id, id);
    socket.send({ type: 'ping', ref: 'p' });
    await socket.type('pong');
    socket.send({ type: 'tool_use', id: 'a', name: 'Bash', input: { command: 'touch made; echo a' }, ref: 1 });
    socket.send({ type: 'tool_use', id: 'b', name: 'pick_color', input: {} });
    socket.send({ type: 'end' });
    const { approval } = await socket.type('approval_requested');
    socket.send({ type: 'approval', approval_id: approval['id'], behavior: 'allow', ref: 2 });
    await socket.type('client_call');
    socket.send({ type: 'client_result', tool_use_id: 'b', content: 'red' });
    const done = await socket.type('turn_completed');
    assert.deepEqual(resultsOf(done), ['a: a', 'b: red']);
    assert.deepEqual(socket.ofType('error'), []);
    socket.send('no json');
    assert.equal((await socket.type('error'))['problem'].type, '/problems/invalid-request');
    const seqs = seqsOf(socket.frames);
    assert.deepEqual(seqs, upTo(seqs.length));
    const resumed = await other.socket(`/v1/sessions/${id}/stream?after=2`);
    await resumed.until(({ seq }) => seq === seqs.length);
    assert.deepEqual(seqsOf(resumed.frames), seqs.slice(2));
    socket.close();
    assert.equal((await socket.closed).code, 1005);
    await other.request('DELETE', `/v1/sessions/${id}`);
    assert.equal((await resumed.closed).code, 4404);
  });

  await t.test('what a client sends before it leaves still counts', async () => {
    const id = await made();
    const socket = await other.socket(`/v1/sessions/${id}/stream`);
    for (const label of labels(50)) socket.send({ type: 'tool_use', id: label, name: 'Bash', input: { command: `echo ${label}` } });
    socket.send({ type: 'end' });
    socket.close();
    const ended = (events: readonly Json[]): boolean => events.some(({ type }) => type === 'turn_completed');
    let log: Json[] = [];
    while (!ended(log)) log = await logOf(id);
    const results = log.filter(({ type }) => type === 'tool_result');
    assert.deepEqual(
      results.map(({ tool_use_id: callId }) => callId as string),
      labels(50),
    );
  });

  await t.test('a socket for no session is closed with the code that tells, and a request that is none is told how to be one', async () => {
    const none = await other.socket(`/v1/sessions/ses_none/stream`);
    assert.equal((await none.closed).code, 4404);
    const plain = await other.request('GET', `/v1/sessions/${await made()}/stream`);
    assert.deepEqual([plain.status, plain.headers.get('upgrade')], [426, 'websocket']);
  });

  await t.test('a ticket of one node opens a socket and a stream at another', async () => {
    const id = await made();
    const ticket = async (): Promise<string> =>
      (await other.request('POST', `/v1/sessions/${id}/tickets`, { scope: 'watch' })).body['ticket'];
    const socket = await other.socket(`/v1/sessions/${id}/stream?after=0&ticket=${await ticket()}`);
    await socket.type('session');
    socket.send({ type: 'tool_use', id: 'a', name: 'Bash', input: { command: 'echo a' }, ref: 1 });
    assert.equal((await socket.type('error'))['problem'].type, '/problems/forbidden');
    const stream = await fetch(`${other.url}/v1/sessions/${id}/events?follow=false&ticket=${await ticket()}`);
    assert.equal(stream.status, 200);
    await stream.text();
  });
});

test('a client that leaves is not answered any more, and one whose node leaves is told', async (t) => {
  const dataDir = shared.directory('leaving');
  const { env } = shared;
  const [owner, other] = await Promise.all([startServer(t, { env, dataDir }), startServer(t, { env, dataDir })]);
  const id = await owner.session();
  const leaves = new AbortController();
  const left = await fetch(`${other.url}/v1/sessions/${id}/events`, { signal: leaves.signal });
  const streams = async (): Promise<string> =>
    /^toolexec_event_streams (\d+)/m.exec(await (await fetch(`${owner.url}/metrics`)).text())?.[1] ?? '';
  assert.equal(await streams(), '1');
  leaves.abort();
  await assert.rejects(left.text());
  while ((await streams()) !== '0');
  const follows = await fetch(`${other.url}/v1/sessions/${id}/events`);
  const sockets: TestSocket[] = [await other.socket(`/v1/sessions/${id}/stream`)];
  await sockets[0]?.type('session');
  await other.close();
  await assert.rejects(follows.text(), 'it does not look as if the stream had ended');
});
