import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newTrace, workTool } from '../support/test-tools.ts';
import { call, resultsOf, startServer } from '../support/server.ts';

describe('turns', () => {
  test('of one session run one after another in arrival order, and too many waiting are refused', async (t) => {
    const trace = newTrace();
    const server = await startServer(t, { tools: [workTool(trace)] });
    const session = await server.session();
    const statuses: number[] = [];
    for (let n = 0; n < 18; n += 1) {
      const { status, body, headers } = await server.post(session, [call(`t${n}`, 'Work', { ms: n === 0 ? 2_000 : 1, safe: false })], {
        prefer: 'respond-async',
      });
      statuses.push(status);
      if (status !== 429) continue;
      assert.equal(body['type'], '/problems/turn-queue-full');
      assert.ok(Number(headers.get('retry-after')) >= 1);
    }
    assert.deepEqual(statuses, [...Array.from({ length: 17 }, () => 202), 429]);
    const [newest] = (await server.request('GET', `/v1/sessions/${session}/turns?limit=1`)).body['data'];
    await server.request('GET', `/v1/sessions/${session}/turns/${newest.id}`, undefined, { prefer: 'wait=30' });
    assert.deepEqual(trace.overlaps, []);
    assert.deepEqual(
      trace.started,
      trace.started.toSorted((a, b) => Number(a.slice(1)) - Number(b.slice(1)) || 0),
    );
  });

  test('can be aborted: what runs is killed, what waits is not started, each call has its result', async (t) => {
    const trace = newTrace();
    const server = await startServer(t, { tools: [workTool(trace)] });
    const session = await server.session();
    const posted = server.post(session, [call('a', 'Work'), call('b', 'Work', { ms: 5000 }), call('c', 'Work', { safe: false })]);
    while (!trace.finished.includes('a')) await sleep(5);
    const [open] = (await server.request('GET', `/v1/sessions/${session}/turns`)).body['data'];
    assert.equal(open.status, 'running');
    assert.equal(open.calls[1].state, 'executing');
    const aborted = await server.request('POST', `/v1/sessions/${session}/turns/${open.id}/abort`, { reason: 'changed my mind' });
    assert.equal(aborted.status, 202);
    const { body } = await posted;
    assert.equal(body['turn'].status, 'aborted');
    assert.deepEqual(
      body['turn'].calls.map((c: { outcome: string }) => c.outcome),
      ['ok', 'aborted', 'aborted'],
    );
    assert.match(resultsOf(body)[1] ?? '', /changed my mind/);
    assert.equal((await server.request('POST', `/v1/sessions/${session}/turns/${open.id}/abort`, {})).status, 404);
  });

  test('can be discarded: there are no messages, and a retry says so', async (t) => {
    const trace = newTrace();
    const server = await startServer(t, { tools: [workTool(trace)] });
    const session = await server.session();
    const posted = server.post(session, [call('a', 'Work', { ms: 5000 })]);
    while (trace.started.length === 0) await sleep(5);
    const [open] = (await server.request('GET', `/v1/sessions/${session}/turns`)).body['data'];
    assert.equal((await server.request('POST', `/v1/sessions/${session}/turns/${open.id}/discard`)).status, 202);
    const { status, body } = await posted;
    assert.equal(status, 200);
    assert.deepEqual(body['messages'], []);
    assert.equal(body['turn'].status, 'discarded');
    assert.equal(body['turn'].calls[0].outcome, 'discarded');
    const retry = await server.post(session, [call('a', 'Work', { ms: 5000 })]);
    assert.deepEqual([retry.status, retry.body['messages'], retry.body['turn'].status], [200, [], 'discarded']);
    assert.equal((await server.post(session, [call('b', 'Work')])).status, 200);
  });

  test('one call can be cancelled alone', async (t) => {
    const trace = newTrace();
    const server = await startServer(t, { tools: [workTool(trace)] });
    const session = await server.session();
    const posted = server.post(session, [call('a', 'Work', { ms: 5000 }), call('b', 'Work', { ms: 100, label: 'b' })]);
    while (trace.started.length < 2) await sleep(5);
    const [open] = (await server.request('GET', `/v1/sessions/${session}/turns`)).body['data'];
    const path = `/v1/sessions/${session}/turns/${open.id}/calls`;
    assert.equal((await server.request('POST', `${path}/nope/cancel`)).status, 404);
    assert.equal((await server.request('POST', `${path}/a/cancel`)).status, 202);
    const { body } = await posted;
    assert.deepEqual(
      body['turn'].calls.map((c: { outcome: string }) => c.outcome),
      ['aborted', 'ok'],
    );
    assert.equal(body['turn'].status, 'completed');
  });

  test('are listed newest first, page by page', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const session = await server.session();
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push((await server.post(session, [call(`c${n}`, 'Work')])).body['turn'].id);
    const seen: string[] = [];
    for (let cursor = ''; ;) {
      const { body } = await server.request('GET', `/v1/sessions/${session}/turns?limit=2${cursor}`);
      seen.push(...body['data'].map((turn: { id: string }) => turn.id));
      if (body['next_cursor'] === undefined) break;
      cursor = `&cursor=${body['next_cursor']}`;
    }
    assert.deepEqual(seen, ids.toReversed());
    const old = await server.request('GET', `/v1/sessions/${session}/turns/${ids[0]}`);
    assert.deepEqual(resultsOf(old.body), ['c0: done ']);
    assert.equal((await server.request('GET', `/v1/sessions/${session}/turns/turn_nope`)).status, 404);
  });
});
