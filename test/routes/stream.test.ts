import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newTrace, workTool } from '../support/test-tools.ts';
import { assistant, call, resultsOf, startServer, type Json, type TestSocket } from '../support/server.ts';
import { withLimits } from './config-file.ts';

const outcomes = (turn: Json): string[] => turn['turn'].calls.map((c: Json) => `${c['tool_use_id']} ${c['outcome']}`);

/** An Anthropic stream with these calls; arguments in small pieces. */
function anthropicStream(calls: Json[]): Json[] {
  const blocks = calls.flatMap(({ id, name, input }, index) => {
    const text = JSON.stringify(input);
    const pieces = text.match(/.{1,5}/gs) ?? [];
    return [
      { type: 'content_block_start', index, content_block: { type: 'tool_use', id, name, input: {} } },
      ...pieces.map((partial_json) => ({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json } })),
      { type: 'content_block_stop', index },
    ];
  });
  return [
    { type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant', content: [] } },
    { type: 'ping' },
    ...blocks,
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
    { type: 'message_stop' },
  ];
}

/** The same as chat completion chunks. */
function chatStream(calls: Json[]): Json[] {
  const chunk = (delta: Json, finish: string | null = null): Json => ({
    object: 'chat.completion.chunk',
    id: `chatcmpl-${calls[0]?.['id']}`,
    choices: [{ index: 0, delta, finish_reason: finish }],
  });
  const pieces = calls.map(({ id, name, input }, index) =>
    chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: JSON.stringify(input) } }] }),
  );
  return [chunk({ role: 'assistant', content: null }), ...pieces, chunk({}, 'tool_calls')];
}

/** The same as Responses events. */
function responsesStream(calls: Json[]): Json[] {
  const items = calls.map(({ id, name, input }, index) => ({
    type: 'response.output_item.done',
    output_index: index,
    item: { type: 'function_call', id: `fc_${id}`, call_id: id, name, arguments: JSON.stringify(input) },
  }));
  return [{ type: 'response.created', response: {} }, ...items, { type: 'response.completed', response: {} }];
}

describe('a socket', () => {
  test('first says which session it is in, and agrees on the protocol', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const session = await server.session();
    const socket = await server.socket(`/v1/sessions/${session}/stream`);
    const hello = await socket.type('session');
    assert.equal(socket.protocol, 'toolexec.v1');
    assert.equal(hello['protocol'], 1);
    assert.equal(hello['session'].id, session);
    assert.match(hello['tools'].hash, /^sha256:/);
    assert.deepEqual([hello['open_turns'], hello['approvals'], hello['seq']], [[], [], undefined]);
  });

  test('runs single calls as they come and ends the turn with end', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const socket = await server.socket(`/v1/sessions/${await server.session()}/stream`);
    socket.send({ type: 'tool_use', id: 'a', name: 'Work', input: { label: 'a' } });
    await socket.type('tool_result');
    assert.equal(socket.ofType('turn_completed').length, 0);
    socket.send({ type: 'tool_use', id: 'b', name: 'Work', input: { label: 'b' }, ref: 7 });
    socket.send({ type: 'end' });
    const done = await socket.type('turn_completed');
    assert.deepEqual(resultsOf(done), ['a: done a', 'b: done b']);
    assert.deepEqual(socket.ofType('ack'), [{ type: 'ack', ref: 7 }]);
    const seqs = socket.frames.flatMap((frame) => (typeof frame['seq'] === 'number' ? [frame['seq']] : []));
    assert.deepEqual(
      seqs,
      seqs.map((_, index) => index + 1),
    );
  });

  test('takes a model’s Anthropic stream unchanged and starts a call before the message has ended', async (t) => {
    const trace = newTrace();
    const server = await startServer(t, { tools: [workTool(trace)] });
    const socket = await server.socket(`/v1/sessions/${await server.session()}/stream`);
    const frames = anthropicStream([call('a', 'Work', { label: 'ä😀' }), call('b', 'Work', { label: 'b' })]);
    for (const frame of frames.slice(0, -1)) socket.send(frame);
    await socket.until((frame) => frame['type'] === 'tool_result' && frame['tool_use_id'] === 'b');
    assert.equal(socket.ofType('turn_completed').length, 0);
    socket.send(frames.at(-1));
    const done = await socket.type('turn_completed');
    assert.deepEqual(resultsOf(done), ['a: done ä😀', 'b: done b']);
    assert.deepEqual(done['turn'].batches, [{ concurrent: true, tool_use_ids: ['a', 'b'] }]);
    assert.equal(socket.ofType('error').length, 0);
  });

  test('takes OpenAI chat chunks and Responses events unchanged, and answers in their format', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const socket = await server.socket(`/v1/sessions/${await server.session()}/stream`);
    const chunk = (delta: Json, finish: string | null = null): Json => ({
      object: 'chat.completion.chunk',
      id: 'x',
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
    for (const frame of [
      chunk({ role: 'assistant', content: null }),
      chunk({ tool_calls: [{ index: 0, id: 'c1', type: 'function', function: { name: 'Work', arguments: '' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"label":' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '"one"}' } }] }),
      chunk({ tool_calls: [{ index: 1, id: 'c2', type: 'function', function: { name: 'Work', arguments: '{}' } }] }),
      chunk({}, 'tool_calls'),
    ]) {
      socket.send(frame);
    }
    const chat = await socket.type('turn_completed');
    assert.deepEqual(
      chat['messages'].map((m: Json) => [m['role'], m['tool_call_id'], m['content']]),
      [
        ['tool', 'c1', 'done one'],
        ['tool', 'c2', 'done '],
      ],
    );
    const from = socket.frames.length;
    socket.send({ type: 'response.created', response: { id: 'r' } });
    socket.send({
      type: 'response.output_item.added',
      output_index: 0,
      item: { type: 'function_call', id: 'f', call_id: 'r1', name: 'Work', arguments: '' },
    });
    socket.send({
      type: 'response.output_item.done',
      output_index: 0,
      item: { type: 'function_call', id: 'f', call_id: 'r1', name: 'Work', arguments: '{"label":"r"}' },
    });
    socket.send({ type: 'response.completed', response: { id: 'r' } });
    const responses = await socket.type('turn_completed', from);
    assert.deepEqual(responses['messages'], [{ type: 'function_call_output', call_id: 'r1', output: 'done r' }]);
  });

  test('gives for the same calls the same results in the same order as a POST', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const calls = [
      call('a', 'Work', { ms: 30, label: 'a' }),
      call('b', 'Work', { fail: true, label: 'b' }),
      call('c', 'Work', { safe: false, label: 'c' }),
      call('d', 'Nope'),
      call('e', 'Work', { ms: 'x' }),
    ];
    const posted = (await server.post(await server.session(), calls)).body;
    const socket = await server.socket(`/v1/sessions/${await server.session()}/stream`);
    for (const frame of anthropicStream(calls)) socket.send(frame);
    const streamed = await socket.type('turn_completed');
    assert.deepEqual(streamed['messages'], posted['messages']);
    assert.deepEqual(streamed['turn'].batches, posted['turn'].batches);
    const message = await server.socket(`/v1/sessions/${await server.session()}/stream`);
    message.send({ type: 'message', message: assistant(calls) });
    assert.deepEqual((await message.type('turn_completed'))['messages'], posted['messages']);
  });

  test('a message without calls gives one empty turn_completed', async (t) => {
    const server = await startServer(t);
    const socket = await server.socket(`/v1/sessions/${await server.session()}/stream`);
    for (const frame of anthropicStream([])) socket.send(frame);
    const done = await socket.type('turn_completed');
    assert.deepEqual([done['messages'], done['turn'].calls], [[], []]);
  });

  test('bad frames cost nothing but an error: the socket and the open turn go on', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const socket = await server.socket(`/v1/sessions/${await server.session()}/stream`);
    socket.send({ type: 'tool_use', id: 'a', name: 'Work', input: {} });
    const garbage: unknown[] = [
      'not json',
      Buffer.from([0, 255, 254, 1]),
      '[]',
      'null',
      '42',
      '{}',
      { type: 'nope', ref: 'r1' },
      { type: 'tool_use', id: '', name: 'Work' },
      { type: 'tool_use', id: 5, name: 'Work' },
      { type: 'constructor' },
      { type: '__proto__' },
      `{"type":"tool_use","id":"deep","name":"Work","input":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
      { type: 'tool_use', id: 'a', name: 'Work', input: {} },
      { type: 'abort', turn_id: 'turn_nope' },
      { type: 'cancel', tool_use_id: 'nope' },
      { type: 'approval', approval_id: 'apr_nope', behavior: 'allow' },
      { type: 'client_result', tool_use_id: 'nope', content: '' },
    ];
    for (const frame of garbage) socket.send(frame);
    socket.send({ type: 'ping' });
    await socket.type('pong');
    assert.equal(socket.ofType('error').length, garbage.length);
    for (const { problem } of socket.ofType('error')) assert.ok(problem.type.startsWith('/problems/') && problem.detail.length > 10);
    assert.equal(socket.ofType('error').find(({ ref }) => ref === 'r1')?.['problem'].status, 400);
    socket.send({ type: 'end' });
    assert.deepEqual(outcomes(await socket.type('turn_completed')), ['a ok']);
  });

  test('abort, discard and cancel mean the newest unfinished turn of the socket', async (t) => {
    const trace = newTrace();
    const server = await startServer(t, { tools: [workTool(trace)] });
    const socket = await server.socket(`/v1/sessions/${await server.session()}/stream`);
    socket.send({ type: 'tool_use', id: 'a', name: 'Work', input: { ms: 5000 } });
    await socket.type('call_started');
    socket.send({ type: 'abort', reason: 'enough' });
    const aborted = await socket.type('turn_completed');
    assert.deepEqual([aborted['turn'].status, ...outcomes(aborted)], ['aborted', 'a aborted']);
    let from = socket.frames.length;
    socket.send({ type: 'tool_use', id: 'b', name: 'Work', input: { ms: 5000 } });
    await socket.type('call_started', from);
    socket.send({ type: 'discard' });
    const discarded = await socket.type('turn_discarded', from);
    assert.equal(discarded['turn'].status, 'discarded');
    from = socket.frames.length;
    socket.send({ type: 'tool_use', id: 'c', name: 'Work', input: { ms: 5000 } });
    socket.send({ type: 'tool_use', id: 'd', name: 'Work', input: { ms: 20 } });
    await socket.until((frame) => frame['type'] === 'call_started' && frame['tool_use_id'] === 'd', from);
    socket.send({ type: 'cancel', tool_use_id: 'c' });
    socket.send({ type: 'end' });
    assert.deepEqual(outcomes(await socket.type('turn_completed', from)), ['c aborted', 'd ok']);
    assert.equal(socket.ofType('tool_result').filter(({ tool_use_id }) => tool_use_id === 'b').length, 0);
  });

  test('a stream that goes quiet ends by itself: complete calls run, a half-received one is dropped', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const socket = await server.socket(`/v1/sessions/${await server.session({ execution: { input_idle_ms: 150 } })}/stream`);
    const frames = anthropicStream([call('a', 'Work', {}), call('half', 'Work', { label: 'never complete' })]);
    for (const frame of frames.slice(0, -4)) socket.send(frame);
    const done = await socket.type('turn_completed');
    assert.deepEqual(done['turn'].stop, { reason: 'input_lost' });
    assert.deepEqual(outcomes(done), ['a ok']);
  });

  test('a socket that drops loses nothing: the turn goes on, and another socket reads it from where the first was', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const session = await server.session();
    const first = await server.socket(`/v1/sessions/${session}/stream`);
    first.send({ type: 'message', message: assistant([call('a', 'Work', { ms: 1 }), call('b', 'Work', { ms: 150, label: 'b' })]) });
    const seen = (await first.type('tool_result'))['seq'] as number;
    first.terminate();
    const second = await server.socket(`/v1/sessions/${session}/stream?after=${seen}`);
    const done = await second.type('turn_completed');
    assert.deepEqual(resultsOf(done), ['a: done ', 'b: done b']);
    const seqs = second.frames.flatMap((frame) => (typeof frame['seq'] === 'number' ? [frame['seq']] : []));
    assert.deepEqual(
      seqs,
      seqs.map((_, index) => seen + 1 + index),
    );
  });

  test('with on_disconnect "abort" a turn whose client does not come back is aborted', async (t) => {
    const config = await withLimits(t, { reconnect_ms: 80 });
    const trace = newTrace();
    const server = await startServer(t, { tools: [workTool(trace)], env: config });
    const session = await server.session({ execution: { on_disconnect: 'abort' } });
    const socket = await server.socket(`/v1/sessions/${session}/stream`);
    socket.send({ type: 'tool_use', id: 'a', name: 'Work', input: { ms: 5000 } });
    await socket.type('call_started');
    socket.terminate();
    while (trace.finished.length === 0) await sleep(5);
    const { body } = await server.request('GET', `/v1/sessions/${session}/turns`, undefined);
    assert.equal(body['data'][0].calls[0].outcome ?? 'aborted', 'aborted');
  });

  test('a socket that comes back goes on with the turn that was open', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const session = await server.session();
    const first = await server.socket(`/v1/sessions/${session}/stream`);
    first.send({ type: 'tool_use', id: 'a', name: 'Work', input: {} });
    await first.type('tool_result');
    first.terminate();
    await first.closed;
    const second = await server.socket(`/v1/sessions/${session}/stream?after=0`);
    second.send({ type: 'tool_use', id: 'b', name: 'Work', input: {} });
    second.send({ type: 'end' });
    assert.deepEqual(outcomes(await second.type('turn_completed')), ['a ok', 'b ok']);
  });

  for (const [format, stream] of [
    ['Anthropic', (calls: Json[]) => anthropicStream(calls)],
    ['OpenAI chat', (calls: Json[]) => chatStream(calls)],
    ['OpenAI Responses', (calls: Json[]) => responsesStream(calls)],
  ] as const) {
    test(`a streamed ${format} message whose turn is refused gives one error, and none of its calls runs`, async (t) => {
      const trace = newTrace();
      const server = await startServer(t, { tools: [workTool(trace)], env: await withLimits(t, { queued_turns: 1 }) });
      const session = await server.session();
      const socket = await server.socket(`/v1/sessions/${session}/stream`);
      socket.send({ type: 'message', message: assistant([call('busy', 'Work', { ms: 60_000 })]) });
      const { turn_id } = await socket.type('call_started');
      socket.send({ type: 'message', message: assistant([call('waits', 'Work')]) });
      const frames = stream([call('r1', 'Work'), call('r2', 'Work'), call('r3', 'Work')]);
      const half = frames.findIndex((frame) => JSON.stringify(frame).includes('r2'));
      for (const frame of frames.slice(0, half)) socket.send(frame);
      assert.equal((await socket.type('error'))['problem'].type, '/problems/turn-queue-full');
      // There is room again before the message has ended.
      socket.send({ type: 'abort', turn_id });
      await socket.until(() => socket.ofType('turn_completed').length === 2);
      for (const frame of frames.slice(half)) socket.send(frame);
      const from = socket.frames.length;
      for (const frame of stream([call('next', 'Work')])) socket.send(frame);
      assert.deepEqual(outcomes(await socket.type('turn_completed', from)), ['next ok']);
      assert.deepEqual(trace.started, ['busy', 'waits', 'next']);
      assert.equal(socket.ofType('error').length, 1);
    });
  }

  for (const how of ['abort', 'discard'] as const) {
    for (const who of ['its own socket', 'another client'] as const) {
      test(`what a message still brings after ${how} by ${who} is passed over, and the next message runs`, async (t) => {
        const trace = newTrace();
        const server = await startServer(t, { tools: [workTool(trace)] });
        const session = await server.session();
        const socket = await server.socket(`/v1/sessions/${session}/stream`);
        const frames = anthropicStream([call('a', 'Work', { ms: 60_000 }), call('b', 'Work'), call('c', 'Work')]);
        const half = frames.findIndex((frame) => frame['type'] === 'content_block_start' && frame['index'] === 1) + 1;
        for (const frame of frames.slice(0, half)) socket.send(frame);
        const { turn_id } = await socket.type('call_started');
        if (who === 'its own socket') socket.send({ type: how });
        else await server.request('POST', `/v1/sessions/${session}/turns/${turn_id}/${how}`);
        await socket.type(how === 'abort' ? 'turn_completed' : 'turn_discarded');
        for (const frame of frames.slice(half)) socket.send(frame);
        const from = socket.frames.length;
        for (const frame of anthropicStream([call('next', 'Work')])) socket.send(frame);
        assert.deepEqual(outcomes(await socket.type('turn_completed', from)), ['next ok']);
        assert.deepEqual([trace.started, socket.ofType('error')], [['a', 'next'], []]);
      });
    }
  }

  test('several sockets may watch one session and see the same', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const session = await server.session();
    const sockets: TestSocket[] = [];
    for (let n = 0; n < 3; n += 1) sockets.push(await server.socket(`/v1/sessions/${session}/stream`));
    for (const socket of sockets) await socket.type('session');
    await server.post(session, [call('a', 'Work', { ms: 5 }), call('b', 'Work')]);
    const views = [];
    for (const socket of sockets) {
      await socket.type('turn_completed');
      views.push(JSON.stringify(socket.frames.filter(({ seq }) => seq !== undefined)));
    }
    assert.equal(new Set(views).size, 1);
  });

  test('may make its own session with the first frame', async (t) => {
    const server = await startServer(t, { tools: [workTool()] });
    const socket = await server.socket('/v1/stream');
    socket.send({ type: 'open', session: { permissions: { mode: 'bypassPermissions' }, metadata: { a: 1 } } });
    const hello = await socket.type('session');
    assert.deepEqual(hello['session'].metadata, { a: 1 });
    socket.send({ type: 'message', message: assistant([call('a', 'Work')]) });
    assert.deepEqual(outcomes(await socket.type('turn_completed')), ['a ok']);
    const wrong = await server.socket('/v1/stream');
    wrong.send({ type: 'open', session: { permissions: { mode: 'nope' } } });
    assert.equal((await wrong.type('error'))['problem'].errors[0].path, 'permissions.mode');
    assert.equal((await wrong.closed).code, 1008);
  });

  test('is closed with 4404 for a session that is not there or has been deleted', async (t) => {
    const server = await startServer(t);
    const nowhere = await server.socket('/v1/sessions/ses_nope/stream');
    assert.equal((await nowhere.closed).code, 4404);
    const session = await server.session();
    const socket = await server.socket(`/v1/sessions/${session}/stream`);
    await socket.type('session');
    await server.request('DELETE', `/v1/sessions/${session}`);
    assert.equal((await socket.closed).code, 4404);
  });

  test('is closed with 1013, to come back, when the session is let go of here and goes on', async (t) => {
    const server = await startServer(t);
    const session = await server.session();
    const socket = await server.socket(`/v1/sessions/${session}/stream`);
    await socket.type('session');
    const open = await server.app.services.sessions.get('', session);
    await open.letGo('Another node takes the session over.');
    assert.equal((await socket.closed).code, 1013);
    const again = await server.socket(`/v1/sessions/${session}/stream`);
    assert.equal((await again.type('session'))['session'].id, session);
  });

  test('a message that was run before is answered again with its recorded end', async (t) => {
    const trace = newTrace();
    const server = await startServer(t, { tools: [workTool(trace)] });
    const session = await server.session();
    const message = assistant([call('a', 'Work', { label: 'x' })]);
    await server.request('POST', `/v1/sessions/${session}/messages`, message);
    const socket = await server.socket(`/v1/sessions/${session}/stream`);
    socket.send({ type: 'message', message });
    assert.deepEqual(resultsOf(await socket.type('turn_completed')), ['a: done x']);
    socket.send({ type: 'tool_use', id: 'a', name: 'Work', input: {} });
    assert.equal((await socket.type('error'))['problem'].type, '/problems/tool-use-id-reused');
    assert.deepEqual(trace.started, ['a']);
  });

  test('a frame over the limit closes the socket with 1009, and the service goes on', async (t) => {
    const config = await withLimits(t, { body_bytes: 10_000 });
    const server = await startServer(t, { env: config, tools: [workTool()] });
    const session = await server.session();
    const socket = await server.socket(`/v1/sessions/${session}/stream`);
    socket.send(`{"type":"tool_use","id":"a","name":"Work","input":{"label":"${'x'.repeat(20_000)}"}}`);
    assert.equal((await socket.closed).code, 1009);
    assert.equal((await server.post(session, [call('b', 'Work')])).status, 200);
  });
});
