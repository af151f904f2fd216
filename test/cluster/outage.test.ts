// A node whose Redis goes away in the middle of a turn.
import assert from 'node:assert/strict';
import { after, describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { buildTool, type Tool } from '../../src/contract/index.ts';
import { effectTools, newEffects, type Effects } from '../support/effect-tools.ts';
import { DURABLE, startRedis, type RedisServer } from '../support/redis.ts';
import { call, resultsOf, startServer, type Json, type TestServer } from '../support/server.ts';
import { assertDense, callsOf, eventsOf } from '../support/session-log.ts';

const running: RedisServer[] = [];
after(() => Promise.all(running.map((redis) => redis.end())));

interface Node {
  readonly redis: RedisServer;
  readonly server: TestServer;
  readonly effects: Effects;
  /** Lets calls of the tool `Gate` end. */
  readonly open: () => void;
}

async function startNode(t: TestContext, leaseTtlMs: number): Promise<Node> {
  const redis = await startRedis(DURABLE);
  running.push(redis);
  const effects = newEffects();
  const gate = Promise.withResolvers<void>();
  const tool = buildTool({
    name: 'Gate',
    inputSchema: z.strictObject({}),
    description: () => 'Waits until the test lets it end.',
    async call(_input, { toolUseId }) {
      effects.begun.push(toolUseId);
      await gate.promise;
      return { content: 'passed' };
    },
  }) as unknown as Tool;
  const server = await startServer(t, {
    env: { TOOLEXEC_STORE: redis.url, TOOLEXEC_LEASE_TTL_MS: `${leaseTtlMs}` },
    tools: [...effectTools(effects), tool],
  });
  return { redis, server, effects, open: gate.resolve };
}

function assertOnce(events: Json[], ids: string[]): void {
  assertDense(events);
  for (const type of ['call_queued', 'call_finished', 'tool_result']) assert.deepEqual(callsOf(events, type), ids, type);
}

describe('while Redis is away', () => {
  test('what runs goes on, nothing new begins, and the turn is whole when it is back in time', async (t) => {
    const { redis, server, effects, open } = await startNode(t, 60_000);
    const [session, other] = [await server.session(), await server.session()];
    const socket = await server.socket(`/v1/sessions/${session}/stream`);
    const posted = server.post(session, [call('a', 'Once'), call('g', 'Gate'), call('c', 'Once')]);
    while (effects.begun.length < 2) await sleep(5);
    await redis.kill();
    const ready = await server.request('GET', '/readyz');
    assert.deepEqual([ready.status, ready.body['store']], [200, 'unavailable']);
    for (const refused of [
      await server.post(other, [call('x', 'Once')]),
      await server.request('POST', '/v1/sessions', {}),
      await server.request('POST', `/v1/call`, { name: 'Once', arguments: {}, session_id: other }),
    ]) {
      assert.deepEqual([refused.status, refused.body['type']], [503, '/problems/store-unavailable']);
      assert.ok(Number(refused.headers.get('retry-after')) > 0);
    }
    open();
    // Long enough for several attempts to keep it.
    await sleep(1_000);
    const early = socket.frames.filter(({ type, tool_use_id: id }) => type === 'call_finished' && id === 'g');
    assert.deepEqual(early, [], 'what is not kept is told to nobody');
    assert.ok(!effects.begun.includes('c'), 'an effect waits until its start is kept');
    await redis.start();
    assert.deepEqual(resultsOf((await posted).body), ['a: did ', 'g: passed', 'c: did ']);
    assert.deepEqual(effects.begun, ['a', 'g', 'c']);
    assertOnce(await eventsOf(server, session), ['a', 'g', 'c']);
    await socket.type('turn_completed');
    assert.equal((await server.post(other, [call('x', 'Once')])).status, 200);
    assert.equal((await server.request('GET', '/readyz')).body['store'], 'ok');
  });

  test('past the lease what runs is stopped, and the turn is taken over when Redis is back', async (t) => {
    const { redis, server, effects } = await startNode(t, 3_000);
    const session = await server.session();
    const calls = [call('a', 'Once'), call('b', 'Once', { hold: true }), call('c', 'Reads')];
    const posted = server.post(session, calls);
    while (effects.begun.length < 2) await sleep(5);
    await redis.kill();
    const cut = await posted;
    assert.deepEqual([cut.status, cut.body['type']], [503, '/problems/store-unavailable']);
    await redis.start();
    let again = await server.post(session, calls);
    while (again.status === 503) {
      await sleep(50);
      again = await server.post(session, calls);
    }
    assert.equal(again.headers.get('toolexec-replayed'), 'true');
    assert.deepEqual(
      again.body['turn'].calls.map(({ outcome }: Json) => outcome),
      ['ok', 'outcome_unknown', 'ok'],
    );
    assert.deepEqual(effects.begun, ['a', 'b', 'c']);
    assertOnce(await eventsOf(server, session), ['a', 'b', 'c']);
  });

  test('a turn that nobody asks for again goes on too', async (t) => {
    const { redis, server, effects } = await startNode(t, 3_000);
    const session = await server.session();
    const posted = server.post(session, [call('b', 'Once', { hold: true }), call('c', 'Once')]);
    while (effects.begun.length < 1) await sleep(5);
    await redis.kill();
    assert.equal((await posted).status, 503);
    await redis.start();
    while (!effects.done.includes('c')) await sleep(20);
    assert.deepEqual(effects.begun, ['b', 'c']);
  });
});
