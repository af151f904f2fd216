import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { badTools, newTrace, workTool } from '../support/test-tools.ts';
import { assistant, call, resultsOf, startServer } from '../support/server.ts';

describe('a posted message', () => {
  test('comes back as what the caller appends to its conversation, with the turn beside it', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const session = await server.session();
    const { status, body } = await server.post(session, [
      call('toolu_1', 'Work', { ms: 20, label: 'a' }),
      call('toolu_2', 'Work', { label: 'b' }),
      call('toolu_3', 'Work', { safe: false, fail: true }),
    ]);
    assert.equal(status, 200);
    assert.equal(body['messages'].length, 1);
    assert.equal(body['messages'][0].role, 'user');
    assert.deepEqual(body['messages'][0].content[0], { type: 'tool_result', tool_use_id: 'toolu_1', content: 'done a', is_error: false });
    assert.equal(body['messages'][0].content[2].is_error, true);
    const { turn } = body;
    assert.match(turn.id, /^turn_/);
    assert.equal(turn.status, 'completed');
    assert.equal(turn.stop, null);
    assert.deepEqual(turn.batches, [
      { concurrent: true, tool_use_ids: ['toolu_1', 'toolu_2'] },
      { concurrent: false, tool_use_ids: ['toolu_3'] },
    ]);
    const [first] = turn.calls;
    assert.deepEqual(Object.keys(first).toSorted(), [
      'batch',
      'duration_ms',
      'is_error',
      'name',
      'outcome',
      'queued_ms',
      'state',
      'tool_use_id',
    ]);
    assert.deepEqual(
      turn.calls.map((c: { outcome: string }) => c.outcome),
      ['ok', 'ok', 'tool_error'],
    );
    assert.deepEqual(
      turn.calls.map((c: { state: string }) => c.state),
      ['yielded', 'yielded', 'yielded'],
    );
  });

  test('in the OpenAI formats gives one message a call, in order, errors included', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const session = await server.session();
    const chat = await server.request('POST', `/v1/sessions/${session}/messages`, {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'Work', arguments: '{"ms":"10","label":"one"}' } },
        { id: 'c2', type: 'function', function: { name: 'Work', arguments: '{"label": "tw' } },
        { id: 'c3', type: 'function', function: { name: 'Work', arguments: '' } },
      ],
    });
    assert.deepEqual(
      chat.body['messages'].map((m: { role: string; tool_call_id: string }) => [m.role, m.tool_call_id]),
      [
        ['tool', 'c1'],
        ['tool', 'c2'],
        ['tool', 'c3'],
      ],
    );
    assert.equal(chat.body['messages'][0].content, 'done one');
    assert.match(chat.body['messages'][1].content, /InputValidationError/);
    assert.deepEqual(
      chat.body['turn'].calls.map((c: { outcome: string }) => c.outcome),
      ['ok', 'invalid_input', 'ok'],
    );
    assert.deepEqual(chat.body['turn'].calls[0].coerced, ['ms']);
    const responses = await server.request('POST', `/v1/sessions/${session}/messages`, {
      output: [{ type: 'function_call', call_id: 'r1', name: 'Work', arguments: '{"label":"r"}' }],
    });
    assert.deepEqual(responses.body['messages'], [{ type: 'function_call_output', call_id: 'r1', output: 'done r' }]);
  });

  test('without calls is answered with no messages', async (t) => {
    const server = await startServer(t);
    const { status, body } = await server.request('POST', `/v1/sessions/${await server.session()}/messages`, {
      role: 'assistant',
      content: 'Hello.',
    });
    assert.equal(status, 200);
    assert.deepEqual(body['messages'], []);
    assert.equal(body['turn'].status, 'completed');
  });

  test('sent again is not run again: the recorded results come back, marked as replayed', async (t) => {
    const trace = newTrace();
    const server = await startServer(t, { tools: [workTool(trace)] });
    const session = await server.session();
    const calls = [call('a', 'Work', { label: 'x', ms: 1 }), call('b', 'Work')];
    const first = await server.post(session, calls);
    const second = await server.post(session, [call('a', 'Work', { ms: 1, label: 'x' }), call('b', 'Work')]);
    assert.equal(first.headers.get('toolexec-replayed'), null);
    assert.equal(second.headers.get('toolexec-replayed'), 'true');
    assert.deepEqual(second.body['messages'], first.body['messages']);
    assert.equal(second.body['turn'].id, first.body['turn'].id);
    assert.deepEqual(trace.started, ['a', 'b']);
    const third = await server.post(session, [call('a', 'Work', { label: 'other' })]);
    assert.equal(third.status, 409);
    assert.equal(third.body['type'], '/problems/tool-use-id-reused');
  });

  test('sent by two clients at once runs once, and both get the same answer', async (t) => {
    const trace = newTrace();
    const server = await startServer(t, { tools: [workTool(trace)] });
    const session = await server.session();
    const replies = await Promise.all(Array.from({ length: 5 }, () => server.post(session, [call('a', 'Work', { ms: 40, safe: false })])));
    assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([200]));
    assert.equal(new Set(replies.map(({ body }) => JSON.stringify(body['messages']))).size, 1);
    assert.deepEqual(trace.started, ['a']);
  });

  test('sent again in another format while it runs is answered in that format, and runs once', async (t) => {
    const trace = newTrace();
    const server = await startServer(t, { tools: [workTool(trace)] });
    const session = await server.session();
    const first = server.post(session, [call('a', 'Work', { ms: 200, label: 'x' })]);
    while (trace.started.length === 0) await sleep(5);
    const chat = await server.request('POST', `/v1/sessions/${session}/messages`, {
      role: 'assistant',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'Work', arguments: '{"ms":200,"label":"x"}' } }],
    });
    assert.deepEqual(chat.body['messages'], [{ role: 'tool', tool_call_id: 'a', content: 'done x' }]);
    assert.deepEqual(resultsOf((await first).body), ['a: done x']);
    assert.deepEqual(trace.started, ['a']);
  });

  test('with call_ids per_message may repeat ids, and then only an equal Idempotency-Key replays', async (t) => {
    const trace = newTrace();
    const server = await startServer(t, { tools: [workTool(trace)] });
    const session = await server.session({ execution: { call_ids: 'per_message' } });
    await server.post(session, [call('call_0', 'Work')], { 'idempotency-key': 'one' });
    const replay = await server.post(session, [call('call_0', 'Work')], { 'idempotency-key': 'one' });
    assert.equal(replay.headers.get('toolexec-replayed'), 'true');
    assert.equal(trace.started.length, 1);
    const again = await server.post(session, [call('call_0', 'Work')]);
    assert.equal(again.status, 200);
    assert.equal(trace.started.length, 2);
    const clash = await server.post(session, [call('call_1', 'Work')], { 'idempotency-key': 'one' });
    assert.equal(clash.status, 409);
    assert.equal(clash.body['type'], '/problems/idempotency-key-reused');
  });

  test('with Prefer: respond-async is answered at once, and its turn can be waited for', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const session = await server.session();
    const accepted = await server.post(session, [call('a', 'Work', { ms: 1_000, label: 'late' })], { prefer: 'respond-async' });
    assert.equal(accepted.status, 202);
    const location = accepted.headers.get('location') ?? '';
    const now = await server.request('GET', location);
    assert.match(now.body['turn'].status, /queued|running/);
    const done = await server.request('GET', location, undefined, { prefer: 'wait=30' });
    assert.equal(done.body['turn'].status, 'completed');
    assert.deepEqual(resultsOf(done.body), ['a: done late']);
  });

  test('in a one-shot session runs and leaves nothing behind', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const { status, body } = await server.request('POST', '/v1/messages', {
      ...assistant([call('a', 'Work', { label: 'once' })]),
      session: { permissions: { mode: 'bypassPermissions' } },
    });
    assert.equal(status, 200);
    assert.deepEqual(resultsOf(body), ['a: done once']);
    const list = await server.request('GET', '/v1/sessions');
    assert.deepEqual(list.body['data'], []);
  });

  test('that nobody waits for any more still runs to its end', async (t) => {
    const trace = newTrace();
    const server = await startServer(t, { tools: [workTool(trace)] });
    const session = await server.session();
    const leaving = new AbortController();
    const request = fetch(`${server.url}/v1/sessions/${session}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(assistant([call('a', 'Work', { ms: 80, safe: false })])),
      signal: leaving.signal,
    });
    while (trace.started.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    leaving.abort();
    await assert.rejects(request);
    const retry = await server.post(session, [call('a', 'Work', { ms: 80, safe: false })]);
    assert.deepEqual(resultsOf(retry.body), ['a: done ']);
    assert.deepEqual(trace.started, ['a']);
  });

  test('as an event stream ends with its turn, results in call order', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const session = await server.session();
    const response = await fetch(`${server.url}/v1/sessions/${session}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify(assistant([call('a', 'Work', { ms: 30 }), call('b', 'Work')])),
    });
    assert.equal(response.headers.get('x-accel-buffering'), 'no');
    const text = await response.text();
    const types = [...text.matchAll(/^event: (.*)$/gm)].map(([, type]) => type);
    assert.deepEqual(
      types.filter((type) => type === 'tool_result' || type === 'turn_completed'),
      ['tool_result', 'tool_result', 'turn_completed'],
    );
    const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    assert.deepEqual(
      ids,
      ids.map((_, index) => (ids[0] ?? 0) + index),
    );
    const replay = await fetch(`${server.url}/v1/sessions/${session}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify(assistant([call('a', 'Work', { ms: 30 }), call('b', 'Work')])),
    });
    assert.equal(await replay.text(), text, 'the same events again for a retry');
  });
});

describe('real tools', () => {
  test('read, search, edit and run commands in the workspace of the session', async (t) => {
    const server = await startServer(t);
    await writeFile(join(server.root, 'a.txt'), 'one\ntwo\n');
    const session = await server.session({ workspace: { path: server.root } });
    const { body } = await server.post(session, [
      call('1', 'Read', { file_path: 'a.txt' }),
      call('2', 'Grep', { pattern: 'two', output_mode: 'content' }),
      call('3', 'Edit', { file_path: 'a.txt', old_string: 'two', new_string: 'three' }),
      call('4', 'Bash', { command: 'cat a.txt && pwd' }),
      call('5', 'Glob', { pattern: '*.txt' }),
    ]);
    const [read, grep, edit, bash, glob] = resultsOf(body);
    assert.match(read ?? '', /2\ttwo/);
    assert.match(grep ?? '', /two/);
    assert.match(edit ?? '', /a\.txt/);
    assert.match(bash ?? '', /one\nthree\n/);
    assert.match(bash ?? '', new RegExp(server.root));
    assert.match(glob ?? '', /a\.txt/);
    assert.deepEqual(
      body['turn'].batches.map((batch: { concurrent: boolean }) => batch.concurrent),
      [true, false, true],
    );
  });

  test('in mode default only reads run; where nobody can be asked the rest is denied with a reason, and its neighbours run', async (t) => {
    const server = await startServer(t);
    await writeFile(join(server.root, 'a.txt'), 'one\n');
    const session = await server.session({
      workspace: { path: server.root },
      permissions: { mode: 'default', ask_timeout_ms: 0 },
      sandbox: { auto_allow_bash: false },
    });
    const { body } = await server.post(session, [
      call('1', 'Read', { file_path: 'a.txt' }),
      call('2', 'Write', { file_path: 'b.txt', content: 'x' }),
      call('3', 'Bash', { command: 'touch c' }),
      call('4', 'Read', { file_path: '/etc/passwd' }),
    ]);
    assert.deepEqual(
      body['turn'].calls.map((c: { outcome: string }) => c.outcome),
      ['ok', 'denied', 'denied', 'denied'],
    );
    assert.match(resultsOf(body)[1] ?? '', /Nobody can be asked here/);
  });

  test('the output of a call can be fetched while it grows, also in parts', async (t) => {
    const server = await startServer(t);
    const session = await server.session();
    const socket = await server.socket(`/v1/sessions/${session}/stream`);
    const command = 'echo begun; until [ -e go ]; do sleep 0.02; done; echo done';
    socket.send({ type: 'message', message: assistant([call('a', 'Bash', { command })]) });
    const { turn_id } = await socket.type('progress');
    const path = `${server.url}/v1/sessions/${session}/turns/${turn_id}/calls/a/output`;
    assert.equal(await (await fetch(path)).text(), 'begun\n');
    const part = await fetch(path, { headers: { range: 'bytes=1-3' } });
    assert.deepEqual([part.status, part.headers.get('content-range'), await part.text()], [206, 'bytes 1-3/6', 'egu']);
    const { body } = await server.request('GET', `/v1/sessions/${session}`);
    await writeFile(join(body['workspace'].path, 'go'), '');
    await socket.type('turn_completed');
    assert.match(await (await fetch(path)).text(), /^begun\ndone\n?$/);
  });

  test('a result that was cut can be fetched whole and in parts', async (t) => {
    const server = await startServer(t, { tools: [badTools.huge] });
    const session = await server.session();
    const { body } = await server.post(session, [call('a', 'Huge')]);
    assert.ok(JSON.stringify(body).length < 60_000);
    const path = `${server.url}/v1/sessions/${session}/turns/${body['turn'].id}/calls/a/output`;
    assert.equal((await (await fetch(path)).text()).length, 1_000_000);
    const part = await fetch(path, { headers: { range: 'bytes=10-19' } });
    assert.equal(part.status, 206);
    assert.equal(part.headers.get('content-range'), 'bytes 10-19/1000000');
    assert.equal(await part.text(), 'xxxxxxxxxx');
    assert.equal((await fetch(path, { headers: { range: 'bytes=2000000-' } })).status, 416);
  });
});
