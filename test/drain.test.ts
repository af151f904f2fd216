// One node that is stopped, and starts again on the same data.
import assert from 'node:assert/strict';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { effectTools, newEffects, type Effects } from './support/effect-tools.ts';
import { assistant, call, resultsOf, startServer, type Json, type TestServer } from './support/server.ts';
import { assertDense, callsOf, eventsOf } from './support/session-log.ts';
import { careful, newTrace, workTool } from './support/test-tools.ts';

async function dataDirectory(t: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'toolexec-data-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

interface Stopped {
  readonly session: string;
  readonly calls: Json[];
  readonly effects: Effects;
  /** What came back for the message when the service stopped. */
  readonly reply: Awaited<ReturnType<TestServer['post']>>;
  /** Starts the service again; nothing stands still any more. */
  again(): Promise<TestServer>;
}

/** A service that is stopped when as many calls of a message have begun. */
async function stoppedDuring(t: TestContext, calls: Json[], begun: number): Promise<Stopped> {
  const dataDir = await dataDirectory(t);
  const effects = newEffects();
  const server = await startServer(t, { dataDir, tools: effectTools(effects), env: { TOOLEXEC_DRAIN_GRACE_MS: '50' } });
  const session = await server.session();
  const posted = server.post(session, calls);
  while (effects.begun.length < begun) await sleep(5);
  await server.close();
  return {
    session,
    calls,
    effects,
    reply: await posted,
    again: () => startServer(t, { dataDir, tools: effectTools(effects, false) }),
  };
}

const hold = { hold: true };

describe('a service that stops before a turn has ended', () => {
  test('leaves what can run again to its next start, which goes on with the turn: each result comes once, in order', async (t) => {
    for (const name of ['Reads', 'Repeats', 'Probes']) {
      const stopped = await stoppedDuring(t, [call('a', 'Once'), call('b', name, hold), call('c', 'Once', { text: 'c' })], 2);
      assert.deepEqual([stopped.reply.status, stopped.reply.body['type']], [503, '/problems/draining']);
      assert.ok(Number(stopped.reply.headers.get('retry-after')) > 0);
      const server = await stopped.again();
      const { body, headers } = await server.post(stopped.session, stopped.calls);
      assert.equal(headers.get('toolexec-replayed'), 'true');
      assert.deepEqual(resultsOf(body), ['a: did ', 'b: did ', 'c: did c'], name);
      assert.deepEqual([body['turn'].status, body['turn'].stop], ['completed', null]);
      assert.deepEqual(
        body['turn'].batches,
        [['a'], ['b'], ['c']].map((tool_use_ids) => ({ concurrent: name === 'Reads' && tool_use_ids[0] === 'b', tool_use_ids })),
      );
      assert.deepEqual(stopped.effects.begun, ['a', 'b', 'b', 'c']);
      const events = await eventsOf(server, stopped.session);
      assertDense(events);
      for (const kind of ['call_queued', 'call_finished', 'tool_result']) {
        assert.deepEqual(callsOf(events, kind), ['a', 'b', 'c'], kind);
      }
      await server.close();
    }
  });

  test('ends a call that must not run twice, and the next start goes on with those after it', async (t) => {
    const stopped = await stoppedDuring(t, [call('a', 'Once', hold), call('b', 'Once')], 1);
    const server = await stopped.again();
    const { body } = await server.post(stopped.session, stopped.calls);
    assert.deepEqual(
      body['turn'].calls.map(({ outcome }: Json) => outcome),
      ['aborted', 'ok'],
    );
    assert.match(resultsOf(body)[0] ?? '', /shutting down/);
    assert.deepEqual(stopped.effects.begun, ['a', 'b']);
  });

  test('answers at once where nothing is left to go on with', async (t) => {
    const stopped = await stoppedDuring(t, [call('a', 'Once'), call('b', 'Once', hold)], 2);
    assert.equal(stopped.reply.status, 200);
    assert.deepEqual(
      [stopped.reply.body['turn'].status, ...stopped.reply.body['turn'].calls.map(({ outcome }: Json) => outcome)],
      ['aborted', 'ok', 'aborted'],
    );
    const server = await stopped.again();
    const again = await server.post(stopped.session, stopped.calls);
    assert.deepEqual(again.body['messages'], stopped.reply.body['messages']);
  });

  test('keeps the results of calls that have ended, whichever of their batch have not', async (t) => {
    const stopped = await stoppedDuring(t, [call('a', 'Reads', hold), call('b', 'Reads', { text: 'b' }), call('c', 'Reads', hold)], 3);
    const server = await stopped.again();
    const { body } = await server.post(stopped.session, stopped.calls);
    assert.deepEqual(resultsOf(body), ['a: did ', 'b: did b', 'c: did ']);
    assert.deepEqual(stopped.effects.begun.toSorted(), ['a', 'a', 'b', 'c', 'c']);
  });

  test('runs the messages that waited behind it at its next start', async (t) => {
    const dataDir = await dataDirectory(t);
    const effects = newEffects();
    const server = await startServer(t, { dataDir, tools: effectTools(effects), env: { TOOLEXEC_DRAIN_GRACE_MS: '50' } });
    const session = await server.session();
    const first = server.post(session, [call('a', 'Reads', hold)]);
    while (effects.begun.length < 1) await sleep(5);
    const second = server.post(session, [call('b', 'Once')]);
    const turns = async (): Promise<Json[]> => (await server.request('GET', `/v1/sessions/${session}/turns`)).body['data'];
    while ((await turns()).length < 2) await sleep(5);
    await server.close();
    assert.deepEqual([(await first).status, (await second).status], [503, 503]);
    const next = await startServer(t, { dataDir, tools: effectTools(effects, false) });
    assert.deepEqual(resultsOf((await next.post(session, [call('b', 'Once')])).body), ['b: did ']);
    assert.deepEqual(effects.begun, ['a', 'a', 'b']);
    assertDense(await eventsOf(next, session));
  });

  test('knows at its next start that the input of a streamed turn was whole, or that it broke off', async (t) => {
    for (const [whole, reason] of [
      [true, null],
      [false, { reason: 'service_restarted' }],
    ] as const) {
      const dataDir = await dataDirectory(t);
      const effects = newEffects();
      const server = await startServer(t, { dataDir, tools: effectTools(effects), env: { TOOLEXEC_DRAIN_GRACE_MS: '50' } });
      const session = await server.session();
      const socket = await server.socket(`/v1/sessions/${session}/stream`);
      socket.send({ type: 'tool_use', ...call('a', 'Reads', hold) });
      socket.send({ type: 'tool_use', ...call('b', 'Reads', { text: 'b' }) });
      if (whole) socket.send({ type: 'end', ref: 1 });
      else socket.send({ type: 'ping', ref: 1 });
      await socket.type('ack');
      while (effects.begun.length < 2) await sleep(5);
      const ended = server.drain();
      assert.equal((await socket.closed).code, 1001);
      await ended;
      const next = await startServer(t, { dataDir, tools: effectTools(effects, false) });
      let turn: Json = {};
      while (turn['status'] !== 'completed')
        [turn = {}] = (await next.request('GET', `/v1/sessions/${session}/turns`)).body['data'] as Json[];
      assert.deepEqual(turn['stop'], reason);
      assert.equal(turn['calls'].length, 2);
    }
  });

  test('leaves a question to people as it is beside a call that is stopped', async (t) => {
    const dataDir = await dataDirectory(t);
    const effects = newEffects();
    const tools = [...effectTools(effects), careful];
    const server = await startServer(t, { dataDir, tools, env: { TOOLEXEC_DRAIN_GRACE_MS: '50' } });
    const session = await server.session({ permissions: { mode: 'default', allow: ['Reads'] } });
    const calls = [call('asks', 'Careful', { text: 'it' }), call('reads', 'Reads', hold)];
    const posted = server.post(session, calls);
    const approvals = async (on: TestServer): Promise<Json[]> =>
      (await on.request('GET', `/v1/sessions/${session}/approvals`)).body['data'];
    while (effects.begun.length < 1 || (await approvals(server)).length < 1) await sleep(5);
    const [asked] = await approvals(server);
    await server.close();
    assert.equal((await posted).status, 503);
    const next = await startServer(t, { dataDir, tools: [...effectTools(effects, false), careful] });
    assert.deepEqual(await approvals(next), [asked]);
    const answer = await next.request('POST', `/v1/sessions/${session}/approvals/${asked?.['id']}`, { behavior: 'allow' });
    assert.equal(answer.status, 200);
    assert.deepEqual(resultsOf((await next.post(session, calls)).body), ['asks: did it', 'reads: did ']);
    const kinds = (await eventsOf(next, session)).map(({ type }) => type as string);
    assert.deepEqual(
      [kinds.filter((kind) => kind === 'approval_requested').length, kinds.filter((kind) => kind === 'approval_resolved').length],
      [1, 1],
    );
  });

  test('gives its sessions back at its next start: listed, with their files, and ready for more', async (t) => {
    const dataDir = await dataDirectory(t);
    const trace = newTrace();
    const server = await startServer(t, { dataDir, tools: [workTool(trace)], env: { TOOLEXEC_DRAIN_GRACE_MS: '50' } });
    const sessions = [await server.session({ metadata: { n: 0 } }), await server.session({ metadata: { n: 1 } })];
    const running = sessions.map((session, n) => server.post(session, [call(`long${n}`, 'Work', { ms: 60_000 })]));
    await trace.until(() => trace.started.length === 2);
    await server.close();
    await Promise.all(running);
    const next = await startServer(t, { dataDir, tools: [workTool()] });
    const { body } = await next.request('GET', '/v1/sessions');
    assert.deepEqual(
      body['data'].map(({ id, metadata }: Json) => [id, metadata['n']]),
      [
        [sessions[1], 1],
        [sessions[0], 0],
      ],
    );
    for (const { id, workspace } of body['data'] as Json[]) {
      await access(workspace.path);
      assert.deepEqual(resultsOf((await next.post(id, [call('next', 'Work', { label: 'x' })])).body), ['next: done x']);
      const socket = await next.socket(`/v1/sessions/${id}/stream`);
      socket.send({ type: 'message', message: assistant([call('more', 'Work')]) });
      assert.deepEqual(resultsOf(await socket.type('turn_completed')), ['more: done ']);
    }
  });
});

describe('a service that drains', () => {
  test('takes nothing new, and still serves what is said and asked about running turns', async (t) => {
    const effects = newEffects();
    const server = await startServer(t, { tools: [...effectTools(effects), careful], env: { TOOLEXEC_DRAIN_GRACE_MS: '60000' } });
    const idle = await server.session();
    const session = await server.session({ permissions: { mode: 'default', allow: ['Once'] } });
    const [watcher, bystander] = [
      await server.socket(`/v1/sessions/${session}/stream`),
      await server.socket(`/v1/sessions/${idle}/stream`),
    ];
    const posted = server.post(session, [call('a', 'Once', hold), call('b', 'Careful')]);
    while (effects.begun.length < 1) await sleep(5);
    const closing = server.drain();
    assert.equal((await server.request('GET', '/readyz')).status, 503);
    assert.equal((await server.request('GET', '/healthz')).status, 200);
    for (const refused of [
      await server.post(session, [call('x', 'Once')]),
      await server.post(idle, [call('y', 'Once')]),
      await server.request('POST', '/v1/sessions', {}),
    ]) {
      assert.deepEqual([refused.status, refused.body['type']], [503, '/problems/draining']);
      assert.ok(Number(refused.headers.get('retry-after')) > 0);
    }
    assert.equal((await bystander.closed).code, 1001, 'the socket of an idle session closes while others still run');
    assert.ok((await eventsOf(server, session)).length > 0);
    watcher.send({ type: 'cancel', tool_use_id: 'a', ref: 'c' });
    await watcher.until((frame) => frame['type'] === 'ack' && frame['ref'] === 'c');
    const asked = await watcher.type('approval_requested');
    assert.equal((await posted).body['turn'].status, 'requires_action');
    await closing;
    assert.equal((await watcher.closed).code, 1001);
    assert.ok(asked['approval'].id);
    assert.deepEqual(effects.begun, ['a']);
  });

  test('gives what runs all of its grace, however long', async (t) => {
    const server = await startServer(t, { tools: [workTool()], env: { TOOLEXEC_DRAIN_GRACE_MS: '60000' } });
    const session = await server.session();
    // Longer than the web server gives its plugins to start and to close.
    const posted = server.post(session, [call('a', 'Work', { ms: 11_000 })]);
    while ((await server.request('GET', `/v1/sessions/${session}/turns`)).body['data'].length === 0) await sleep(20);
    await server.drain();
    assert.deepEqual(resultsOf((await posted).body), ['a: done ']);
  });
});
