// Nodes of a cluster that are stopped one after another: what one was doing goes on at another.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { effectTools, newEffects, type Effects } from '../support/effect-tools.ts';
import { DURABLE, startRedis } from '../support/redis.ts';
import { assistant, call, resultsOf, startServer, type Json, type TestServer } from '../support/server.ts';
import { assertDense, callsOf, eventsOf, whenFree } from '../support/session-log.ts';
import { careful } from '../support/test-tools.ts';

const redis = await startRedis(DURABLE);
const base = await mkdtemp(join(tmpdir(), 'toolexec-cluster-drain-'));
after(async () => {
  await redis.end();
  await rm(base, { recursive: true, force: true });
});

interface Cluster {
  readonly effects: Effects;
  /** Its calls stand still where they are told to. */
  readonly a: TestServer;
  readonly b: TestServer;
}

let clusters = 0;

async function twoNodes(t: TestContext, graceMs: number): Promise<Cluster> {
  const effects = newEffects();
  const dataDir = join(base, `${(clusters += 1)}`);
  const env = { TOOLEXEC_STORE: redis.url, TOOLEXEC_LEASE_TTL_MS: '15000', TOOLEXEC_DRAIN_GRACE_MS: `${graceMs}` };
  const node = (holding: boolean) => startServer(t, { env, dataDir, tools: [...effectTools(effects, holding), careful] });
  const [a, b] = await Promise.all([node(true), node(false)]);
  return { effects, a, b };
}

const hold = { hold: true };

describe('a node that is stopped', () => {
  test('leaves a turn to another, which gives its messages: each event once, each effect once', async (t) => {
    const { effects, a, b } = await twoNodes(t, 50);
    const session = await a.session();
    const calls = [call('a', 'Once', { text: 'a' }), call('b', 'Reads', hold), call('c', 'Reads'), call('d', 'Once'), call('e', 'Reads')];
    const posted = a.post(session, calls);
    while (effects.begun.length < 3) await sleep(5);
    await a.close();
    assert.deepEqual([(await posted).status, (await posted).body['type']], [503, '/problems/draining']);
    const { body, headers } = await whenFree(() => b.post(session, calls));
    assert.equal(headers.get('toolexec-replayed'), 'true');
    assert.deepEqual(resultsOf(body), ['a: did a', 'b: did ', 'c: did ', 'd: did ', 'e: did ']);
    assert.deepEqual(effects.begun.toSorted(), ['a', 'b', 'b', 'c', 'd', 'e']);
    const events = await eventsOf(b, session);
    assertDense(events);
    for (const kind of ['call_queued', 'call_finished', 'tool_result']) {
      assert.deepEqual(callsOf(events, kind).toSorted(), ['a', 'b', 'c', 'd', 'e'], kind);
    }
    assert.equal(events.filter(({ type }) => type === 'turn_completed').length, 1);
  });

  test('sends a socket away with 1001, and its client reads on at another without a lost or doubled event', async (t) => {
    const { effects, a, b } = await twoNodes(t, 50);
    const session = await a.session();
    const path = `/v1/sessions/${session}/stream`;
    const socket = await a.socket(path);
    socket.send({ type: 'message', message: assistant([call('a', 'Once'), call('b', 'Reads', hold), call('c', 'Once')]) });
    while (effects.begun.length < 2) await sleep(5);
    await a.drain();
    assert.equal((await socket.closed).code, 1001);
    const before = socket.frames.filter(({ seq }) => seq !== undefined);
    await whenFree(() => b.request('GET', `/v1/sessions/${session}`));
    const again = await b.socket(`${path}?after=${before.at(-1)?.['seq'] ?? 0}`);
    await again.type('turn_completed');
    const all = [...before, ...again.frames.filter(({ seq }) => seq !== undefined)];
    assertDense(all);
    assert.deepEqual(callsOf(all, 'tool_result'), ['a', 'b', 'c']);
    assert.deepEqual(effects.begun, ['a', 'b', 'b', 'c']);
  });

  test('lets go of each session when it has nothing to do, and another node has it while others still run', async (t) => {
    const { effects, a, b } = await twoNodes(t, 60_000);
    const [idle, ending, running] = [await a.session(), await a.session(), await a.session()];
    const [atIdle, atRunning] = [await a.socket(`/v1/sessions/${idle}/stream`), await a.socket(`/v1/sessions/${running}/stream`)];
    void a.post(running, [call('r', 'Once', hold)]);
    const posted = a.post(ending, [call('e', 'Once', hold)]);
    while (effects.begun.length < 2) await sleep(5);
    const draining = a.drain();
    assert.equal((await atIdle.closed).code, 1001);
    assert.deepEqual(resultsOf((await whenFree(() => b.post(idle, [call('i', 'Once')]))).body), ['i: did ']);
    const { body } = await a.request('GET', `/v1/sessions/${ending}/turns`);
    assert.equal((await a.request('POST', `/v1/sessions/${ending}/turns/${body['data'][0].id}/abort`)).status, 202);
    assert.equal((await posted).body['turn'].status, 'aborted');
    assert.equal((await whenFree(() => b.post(ending, [call('f', 'Once')]))).status, 200);
    const [turn] = (await a.request('GET', `/v1/sessions/${running}/turns`)).body['data'] as Json[];
    atRunning.send({ type: 'abort', turn_id: turn?.['id'] });
    await atRunning.type('turn_completed');
    assert.equal((await atRunning.closed).code, 1001);
    await draining;
    assert.deepEqual(effects.begun.toSorted(), ['e', 'f', 'i', 'r']);
  });

  test('leaves a question to people, and a call that lies with the client, to be answered at another', async (t) => {
    const { a, b } = await twoNodes(t, 60_000);
    const custom = [{ name: 'browser', description: 'Asks the browser.', input_schema: { type: 'object' }, client: true }];
    const session = await a.session({ permissions: { mode: 'default', allow: ['browser'] }, tools: { custom } });
    const calls = [call('asks', 'Careful', { text: 'it' }), call('asked', 'browser')];
    assert.equal((await a.post(session, [calls[0] ?? {}])).body['turn'].status, 'requires_action');
    await a.close();
    const { body } = await whenFree(() => b.request('GET', `/v1/sessions/${session}/approvals`));
    const approval = `/v1/sessions/${session}/approvals/${body['data'][0].id}`;
    assert.equal((await b.request('POST', approval, { behavior: 'allow' })).status, 200);
    assert.deepEqual(resultsOf((await b.post(session, [calls[0] ?? {}])).body), ['asks: did it']);

    const c = await startServer(t, { env: { TOOLEXEC_STORE: redis.url }, dataDir: b.dataDir, tools: [careful] });
    const waits = (await b.post(session, [calls[1] ?? {}])).body;
    assert.deepEqual(
      waits['pending'].map(({ type }: Json) => type),
      ['client_call'],
    );
    await b.close();
    const result = `/v1/sessions/${session}/turns/${waits['turn'].id}/calls/asked/result`;
    assert.equal((await whenFree(() => c.request('POST', result, { content: 'seen' }))).status, 200);
    assert.deepEqual(resultsOf((await c.post(session, [calls[1] ?? {}])).body), ['asked: seen']);
    const events = await eventsOf(c, session);
    assertDense(events);
    assert.equal(events.filter(({ type }) => type === 'client_call').length, 1);
  });
});
