// People in the loop, over REST and the socket.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assistant, call, resultsOf, startServer, type Json, type TestServer } from '../support/server.ts';
import { careful } from '../support/test-tools.ts';

const tools = [careful];

async function asked(server: TestServer, session: string, calls: Json[]): Promise<Json[]> {
  const { status, body } = await server.post(session, calls);
  assert.equal(status, 200);
  assert.equal(body['turn'].status, 'requires_action');
  assert.deepEqual(body['messages'], []);
  return body['pending'] as Json[];
}

const permissions = { mode: 'acceptEdits' };

describe('a message with calls that ask', () => {
  test('is answered as soon as only people are waited for, and again with the results once they have answered', async (t) => {
    const server = await startServer(t, { tools });
    const session = await server.session({ permissions });
    const calls = [call('a', 'Careful', { text: 'x' }), call('b', 'Careful', { text: 'y' })];
    const pending = await asked(server, session, calls);
    assert.deepEqual(
      pending.map(({ type, tool_use_id, name }) => [type, tool_use_id, name]),
      [
        ['approval', 'a', 'Careful'],
        ['approval', 'b', 'Careful'],
      ],
    );
    const listed = await server.request('GET', `/v1/sessions/${session}/approvals`);
    assert.deepEqual(
      listed.body['data'].map(({ id }: Json) => id),
      pending.map(({ id }) => id),
    );
    const turn = await server.request('GET', `/v1/sessions/${session}/turns?limit=1`);
    assert.deepEqual(
      turn.body['data'][0].calls.map((one: Json) => one['waiting_for']),
      ['approval', 'approval'],
    );
    const answered = await server.request('POST', `/v1/sessions/${session}/approvals/${pending[0]?.['id']}`, { behavior: 'allow' });
    assert.deepEqual([answered.status, answered.body['behavior']], [200, 'allow']);
    const denied = await server.request('POST', `/v1/sessions/${session}/approvals`, {
      decisions: [{ approval_id: pending[1]?.['id'], behavior: 'deny', message: 'no, use Read' }],
    });
    assert.equal(denied.status, 200);
    const { body, headers } = await server.post(session, calls);
    assert.equal(headers.get('toolexec-replayed'), 'true');
    assert.match(resultsOf(body).join('\n'), /a: did x\n[^]*b: .*no, use Read/);
    assert.deepEqual((await server.request('GET', `/v1/sessions/${session}/approvals`)).body['data'], []);
  });

  test('lets the others run meanwhile, and what stands after it wait', async (t) => {
    const server = await startServer(t, { tools });
    const session = await server.session({ permissions });
    const socket = await server.socket(`/v1/sessions/${session}/stream`);
    socket.send({
      type: 'message',
      message: assistant([call('w', 'Glob', { pattern: '*' }), call('a', 'Careful'), call('z', 'Write', { file_path: 'z', content: 'z' })]),
    });
    const { approval } = await socket.type('approval_requested');
    await socket.until(({ type, tool_use_id }) => type === 'tool_result' && tool_use_id === 'w');
    assert.equal(socket.ofType('call_started').length, 1);
    socket.send({ type: 'approval', approval_id: approval.id, behavior: 'allow', updated_input: { text: 'edited' }, ref: 1 });
    await socket.type('ack');
    const done = await socket.type('turn_completed');
    assert.match(resultsOf(done)[1] ?? '', /did edited/);
    assert.deepEqual(
      socket.ofType('approval_resolved').map(({ behavior, by }) => [behavior, by]),
      [['allow', 'client']],
    );
  });

  test('tells a socket that comes later what is asked', async (t) => {
    const server = await startServer(t, { tools });
    const session = await server.session({ permissions });
    const [pending] = await asked(server, session, [call('a', 'Careful')]);
    const hello = await (await server.socket(`/v1/sessions/${session}/stream`)).type('session');
    assert.equal(hello['approvals'][0].id, pending?.['id']);
    assert.equal(hello['open_turns'][0].calls[0].waiting_for, 'approval');
  });

  test('denies by itself when nobody answers in time, or nobody may be asked', async (t) => {
    const server = await startServer(t, { tools });
    const soon = await server.session({ permissions: { ...permissions, ask_timeout_ms: 50 } });
    await asked(server, soon, [call('a', 'Careful')]);
    const never = await server.session({ permissions: { ...permissions, ask_timeout_ms: 0 } });
    const { body } = await server.post(never, [call('a', 'Careful')]);
    assert.equal(body['turn'].calls[0].outcome, 'denied');
    const [turn] = (await server.request('GET', `/v1/sessions/${soon}/turns`)).body['data'];
    const waited = await server.request('GET', `/v1/sessions/${soon}/turns/${turn.id}`, undefined, { prefer: 'wait=30' });
    assert.equal(waited.body['turn'].calls[0].outcome, 'denied');
    assert.match(resultsOf(waited.body)[0] ?? '', /nobody answered in time/);
  });

  test('is denied in a session of its own, where nobody could answer', async (t) => {
    const server = await startServer(t, { tools });
    const { body } = await server.request('POST', '/v1/messages', { ...assistant([call('a', 'Careful')]), session: { permissions } });
    assert.equal(body['turn'].calls[0].outcome, 'denied');
  });

  test('goes with its turn when that is aborted', async (t) => {
    const server = await startServer(t, { tools });
    const session = await server.session({ permissions });
    const [pending] = await asked(server, session, [call('a', 'Careful')]);
    const [turn] = (await server.request('GET', `/v1/sessions/${session}/turns`)).body['data'];
    await server.request('POST', `/v1/sessions/${session}/turns/${turn.id}/abort`, {});
    const { body } = await server.post(session, [call('a', 'Careful')]);
    assert.equal(body['turn'].calls[0].outcome, 'aborted');
    const late = await server.request('POST', `/v1/sessions/${session}/approvals/${pending?.['id']}`, { behavior: 'allow' });
    assert.deepEqual([late.status, late.body['type']], [409, '/problems/approval-already-resolved']);
  });
});

describe('an answer', () => {
  test('may bring suggested rules into the session, chosen by their places', async (t) => {
    const server = await startServer(t);
    const session = await server.session({ permissions: { mode: 'default' }, sandbox: { auto_allow_bash: false } });
    const [pending] = await asked(server, session, [call('a', 'Bash', { command: 'npm run build' })]);
    assert.deepEqual(pending?.['suggestions'], [{ rule: 'Bash(npm run build)' }, { rule: 'Bash(npm run:*)' }]);
    const path = `/v1/sessions/${session}/approvals/${pending?.['id']}`;
    assert.equal((await server.request('POST', path, { behavior: 'allow', apply_suggestions: [1] })).status, 200);
    const { body } = await server.request('GET', `/v1/sessions/${session}`);
    assert.deepEqual(body['permissions'].allow, ['Bash(npm run:*)']);
  });

  test('is not wanted any more once the turn is aborted or discarded', async (t) => {
    const server = await startServer(t, { tools });
    for (const how of ['abort', 'discard']) {
      const session = await server.session({ permissions });
      const [pending] = await asked(server, session, [call('a', 'Careful')]);
      const [turn] = (await server.request('GET', `/v1/sessions/${session}/turns`)).body['data'];
      assert.equal((await server.request('POST', `/v1/sessions/${session}/turns/${turn.id}/${how}`)).status, 202);
      await server.request('GET', `/v1/sessions/${session}/turns/${turn.id}`, undefined, { prefer: 'wait=30' });
      assert.deepEqual((await server.request('GET', `/v1/sessions/${session}/approvals`)).body, { data: [] });
      const late = await server.request('POST', `/v1/sessions/${session}/approvals/${pending?.['id']}`, { behavior: 'allow' });
      assert.deepEqual([how, late.status, late.body['type']], [how, 409, '/problems/approval-already-resolved']);
    }
  });

  test('is settled for all who look on when its turn is discarded, before the turn is', async (t) => {
    const server = await startServer(t, { tools });
    const session = await server.session({ permissions });
    const socket = await server.socket(`/v1/sessions/${session}/stream`);
    socket.send({ type: 'message', message: assistant([call('r', 'Glob', { pattern: '*' }), call('a', 'Careful')]) });
    await socket.type('tool_result');
    const { approval } = await socket.type('approval_requested');
    socket.send({ type: 'discard' });
    const { approval_id, behavior, by } = await socket.type('approval_resolved');
    assert.deepEqual([approval_id, behavior, by], [approval.id, 'deny', 'discard']);
    const { turn } = await socket.type('turn_discarded');
    assert.deepEqual(
      turn.calls.map(({ state, outcome }: Json) => [state, outcome]),
      [
        ['yielded', 'discarded'],
        ['completed', 'discarded'],
      ],
      'what was told is not taken back',
    );
  });

  test('is taken once, and one that names nothing is refused', async (t) => {
    const server = await startServer(t, { tools });
    const session = await server.session({ permissions });
    const [pending] = await asked(server, session, [call('a', 'Careful')]);
    const path = `/v1/sessions/${session}/approvals`;
    const wrong = await server.request('POST', path, {
      decisions: [
        { approval_id: pending?.['id'], behavior: 'allow' },
        { approval_id: 'apr_x', behavior: 'allow' },
      ],
    });
    assert.deepEqual([wrong.status, wrong.body['type']], [404, '/problems/approval-not-found']);
    assert.equal((await server.request('GET', path)).body['data'].length, 1);
    assert.equal((await server.request('POST', `${path}/${pending?.['id']}`, { behavior: 'perhaps' })).status, 400);
    const beyond = await server.request('POST', `${path}/${pending?.['id']}`, { behavior: 'allow', apply_suggestions: [99] });
    assert.equal(beyond.status, 400);
    assert.equal((await server.request('POST', `${path}/${pending?.['id']}`, { behavior: 'allow' })).status, 200);
    assert.equal((await server.request('POST', `${path}/${pending?.['id']}`, { behavior: 'allow' })).status, 409);
  });
});

describe('what an answer says beside yes and no', () => {
  test('is refused where it is misspelt, and holds nothing then', async (t) => {
    const server = await startServer(t, { tools });
    const session = await server.session({ permissions });
    const [pending] = await asked(server, session, [call('a', 'Careful')]);
    const path = `/v1/sessions/${session}/approvals`;
    const one = await server.request('POST', `${path}/${pending?.['id']}`, { behavior: 'allow', rember: 'session' });
    assert.deepEqual([one.status, one.body['errors'][0].path], [400, 'rember']);
    assert.match(one.body['errors'][0].message, /Known here: .*remember/);
    const decision = { approval_id: pending?.['id'], behavior: 'allow', updated: {} };
    const several = await server.request('POST', path, { decisions: [decision] });
    assert.deepEqual([several.status, several.body['errors'][0].path], [400, 'decisions[0].updated']);
    assert.equal((await server.request('POST', path, { decisions: [], all: true })).status, 400);
    assert.equal((await server.request('GET', path)).body['data'].length, 1);
  });

  test('may be the whole frame of a socket, about the approval of the path', async (t) => {
    const server = await startServer(t, { tools });
    const session = await server.session({ permissions });
    const [pending] = await asked(server, session, [call('a', 'Careful')]);
    const path = `/v1/sessions/${session}/approvals/${pending?.['id']}`;
    const frame = { type: 'approval', approval_id: pending?.['id'], behavior: 'allow', ref: 7 };
    const other = await server.request('POST', path, { ...frame, approval_id: 'apr_other' });
    assert.deepEqual([other.status, other.body['errors'][0].path], [400, 'approval_id']);
    assert.equal((await server.request('POST', path, frame)).status, 200);
  });

  test('is passed over in a frame, where it is not known', async (t) => {
    const server = await startServer(t, { tools });
    const session = await server.session({ permissions });
    const [pending] = await asked(server, session, [call('a', 'Careful')]);
    const socket = await server.socket(`/v1/sessions/${session}/stream`);
    socket.send({ type: 'approval', approval_id: pending?.['id'], behavior: 'allow', mood: 'good', ref: 1 });
    await socket.type('ack');
  });

  test('cannot be remembered where no rule is suggested: the question stays until it is answered without', async (t) => {
    const server = await startServer(t, { tools });
    const session = await server.session({ permissions });
    const [pending] = await asked(server, session, [call('a', 'Careful')]);
    assert.deepEqual(pending?.['suggestions'], []);
    const path = `/v1/sessions/${session}/approvals/${pending?.['id']}`;
    const refused = await server.request('POST', path, { behavior: 'allow', remember: 'session' });
    assert.deepEqual([refused.status, refused.body['type']], [400, '/problems/invalid-request']);
    assert.match(refused.body['detail'], /no suggested rule .*answer without remember/);
    assert.equal((await server.request('POST', path, { behavior: 'allow' })).status, 200);
  });
});

describe('a plan', () => {
  test('shows batches, coerced input and who would decide, and runs nothing', async (t) => {
    const server = await startServer(t, { tools });
    const session = await server.session({ permissions });
    const message = assistant([
      call('r', 'Read', { file_path: 'a.txt', limit: '5' }),
      call('g', 'Glob', { pattern: '*' }),
      call('c', 'Write', { file_path: 'new.txt', content: 'x' }),
      call('u', 'Nope'),
      call('i', 'Read', {}),
    ]);
    const { status, body } = await server.request('POST', `/v1/sessions/${session}/plan`, message);
    assert.equal(status, 200);
    assert.deepEqual(
      body['batches'].map(({ tool_use_ids }: Json) => tool_use_ids),
      [['r', 'g'], ['c'], ['u'], ['i']],
    );
    const [read, , write, unknown, invalid] = body['calls'] as Json[];
    assert.deepEqual([read?.['input'].limit, read?.['coerced'], read?.['read_only'], read?.['effect']], [5, ['limit'], true, 'read']);
    assert.deepEqual([write?.['permission'].behavior, write?.['concurrency_safe'], write?.['valid']], ['allow', false, true]);
    assert.match(write?.['permission'].decided_by, /mode acceptEdits/);
    assert.deepEqual([unknown?.['valid'], invalid?.['valid']], [false, false]);
    assert.match(invalid?.['error'], /file_path/);
    assert.equal((await server.post(session, [call('x', 'Read', { file_path: 'new.txt' })])).body['turn'].calls[0].outcome, 'tool_error');
  });

  test('takes a tool that is still deferred as if it were loaded, and shows wrong input as it was sent', async (t) => {
    const server = await startServer(t);
    const input_schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const weather = { name: 'weather', description: 'Tells the weather.', input_schema, client: true, defer: true };
    const session = await server.session({ tools: { custom: [{ ...weather, annotations: { read_only: true } }] } });
    const message = assistant([call('a', 'weather', { city: 'Ulm' }), call('b', 'weather', { town: 1 })]);
    const { body } = await server.request('POST', `/v1/sessions/${session}/plan`, message);
    const [right, wrong] = body['calls'] as Json[];
    assert.deepEqual([right?.['valid'], right?.['permission'].behavior, right?.['read_only']], [true, 'allow', true]);
    assert.deepEqual([wrong?.['valid'], wrong?.['input']], [false, { town: 1 }]);
    assert.match(wrong?.['error'], /city/);
    assert.doesNotMatch(wrong?.['error'], /ToolSearch/);
  });
});
