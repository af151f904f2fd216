import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, startServer, type Json, type TestServer } from '../support/server.ts';
import { workTool } from '../support/test-tools.ts';
import { withLimits } from './config-file.ts';

/** More than the kernel keeps for a client that does not read. */
const FLOOD = { messages: 12, chars: 900_000 };

/** Reads the head of the session's event stream and nothing after it. */
async function openAndStopReading(server: TestServer, session: string): Promise<Socket> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`GET /v1/sessions/${session}/events HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await once(socket, 'data');
  socket.pause();
  return socket;
}

/** Fills the log: what a call was given is in two of its events. */
async function flood(server: TestServer, session: string): Promise<void> {
  for (let n = 0; n < FLOOD.messages; n += 1) await server.post(session, [call(`c${n}`, 'Work', { label: 'x'.repeat(FLOOD.chars) })]);
}

describe('an event stream', () => {
  test('in which nothing happens is kept alive by comments', async (t) => {
    const server = await startServer(t, { env: await withLimits(t, { sse_comment_ms: 20 }) });
    const leaving = new AbortController();
    const response = await fetch(`${server.url}/v1/sessions/${await server.session()}/events`, { signal: leaving.signal });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (text.split(':').length < 4) text += (await reader?.read())?.value ?? '';
    assert.match(text, /^(: still here\n\n){3}/);
    leaving.abort();
  });

  test('is cut off when its client does not read: it is not waited for without end', async (t) => {
    const server = await startServer(t, { tools: [workTool()], env: await withLimits(t, { reader_patience_ms: 200 }) });
    const session = await server.session();
    const socket = await openAndStopReading(server, session);
    await flood(server, session);
    await sleep(1_000);
    let bytes = 0;
    socket.on('data', (data) => (bytes += data.length));
    socket.on('error', () => {});
    socket.resume();
    await once(socket, 'close');
    assert.ok(bytes < FLOOD.messages * FLOOD.chars * 2, `${bytes} bytes came`);
    assert.equal((await server.post(session, [call('after', 'Work')])).status, 200);
  });

  test('whose client does not read does not keep the service from stopping', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const session = await server.session();
    const socket = await openAndStopReading(server, session);
    t.after(() => socket.destroy());
    await flood(server, session);
    await server.close();
  });

  test('of a reader that reads slowly is whole', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const session = await server.session();
    await flood(server, session);
    const response = await fetch(`${server.url}/v1/sessions/${session}/events?follow=false`);
    const seqs: number[] = [];
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      for (const [, seq] of text.matchAll(/^id: (\d+)$/gm)) seqs.push(Number(seq));
      if (seqs.length % 10 === 0) await sleep(1);
    }
    assert.equal(seqs.length, FLOOD.messages * 6);
  });
});

describe('the log as JSON', () => {
  /** Page after page, until nothing more comes. */
  async function pages(server: TestServer, session: string): Promise<{ events: Json[]; chars: number }[]> {
    const found: { events: Json[]; chars: number }[] = [];
    for (let after = 0; ;) {
      const path = `${server.url}/v1/sessions/${session}/events?after=${after}`;
      const text = await (await fetch(path, { headers: { accept: 'application/json' } })).text();
      const { data, last_seq } = JSON.parse(text) as Json;
      found.push({ events: data as Json[], chars: text.length });
      after = data.at(-1).seq as number;
      if (after === last_seq) return found;
    }
  }

  test('comes in pages of at most 1000 events, each of which goes on where the one before ended', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const session = await server.session();
    const calls = Array.from({ length: 300 }, (_, n) => call(`c${n}`, 'Work'));
    await server.post(session, calls);
    const found = await pages(server, session);
    assert.deepEqual(
      found.map(({ events }) => events.length),
      [1000, 202],
    );
    const seqs = found.flatMap(({ events }) => events.map(({ seq }) => seq as number));
    assert.deepEqual(
      seqs,
      seqs.map((_, index) => index + 1),
    );
  });

  test('comes in pages that are not huge, whatever its events hold', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const session = await server.session();
    await flood(server, session);
    const found = await pages(server, session);
    assert.ok(found.length > 1);
    for (const { chars } of found) assert.ok(chars < 9_000_000, `${chars} characters`);
    assert.equal(found.flatMap(({ events }) => events).length, FLOOD.messages * 6);
  });

  test('is not read from behind its end, where nothing would ever come', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const session = await server.session();
    await server.post(session, [call('a', 'Work')]);
    const ask = (query: string, headers = {}) => server.request('GET', `/v1/sessions/${session}/events${query}`, undefined, headers);
    assert.deepEqual((await ask('?after=6', { accept: 'application/json' })).body, { data: [], last_seq: 6 });
    for (const reply of [await ask('?after=7'), await ask('', { 'last-event-id': '7' }), await ask('?after=abc')]) {
      assert.deepEqual([reply.status, reply.body['type']], [400, '/problems/invalid-request']);
    }
  });
});
