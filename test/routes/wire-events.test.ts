// The events of a run, field by field, as clients are promised them.
import assert from 'node:assert/strict';
import { before, describe, test, type TestContext } from 'node:test';
import { assistant, call, startServer, type Json, type TestServer, type TestSocket } from '../support/server.ts';
import { careful, workTool } from '../support/test-tools.ts';

let server: TestServer;
before(async (t) => {
  server = await startServer(t as TestContext, { tools: [careful, workTool()] });
});

const ENVELOPE = ['type', 'seq', 'time', 'session_id', 'turn_id'];
/** What each event has beside the envelope, and may have more. */
const FIELDS: Record<string, readonly string[]> = {
  turn_started: ['format'],
  call_queued: ['tool_use_id', 'index', 'name', 'input'],
  call_started: ['tool_use_id', 'name', 'batch', 'concurrent', 'input', 'view', 'decision'],
  approval_requested: ['approval'],
  approval_resolved: ['approval_id', 'behavior', 'by'],
  client_call: ['tool_use_id', 'name', 'input'],
  call_finished: ['tool_use_id', 'outcome', 'is_error', 'duration_ms'],
  tool_result: ['index', 'tool_use_id', 'name', 'outcome', 'result', 'view'],
  context_changed: ['changes'],
  turn_completed: ['messages', 'turn'],
};
const APPROVAL = ['id', 'tool_use_id', 'name', 'input', 'reason', 'suggestions', 'expires_at'];
const pick = { name: 'pick', description: 'Lets the user pick.', input_schema: { type: 'object' }, client: true };

async function open(options: Json = {}): Promise<{ id: string; socket: TestSocket }> {
  const id = await server.session({ permissions: { mode: 'acceptEdits', allow: ['pick', 'Work'] }, tools: { custom: [pick] }, ...options });
  return { id, socket: await server.socket(`/v1/sessions/${id}/stream`) };
}

const has = (object: Json, keys: readonly string[], what: string): void => {
  for (const key of keys) assert.ok(key in object, `${what} has no ${key}: ${JSON.stringify(object)}`);
};

describe('the events of a run', () => {
  test('have the fields that clients are promised, each in its place', async () => {
    const { id, socket } = await open();
    const todos = [{ content: 'x', status: 'pending', activeForm: 'Doing x' }];
    const calls = [call('asks', 'Careful', { text: 7 }), call('todo', 'TodoWrite', { todos }), call('picks', 'pick')];
    socket.send({ type: 'message', message: assistant(calls) });
    const { approval } = await socket.type('approval_requested');
    has(approval, APPROVAL, 'the approval');
    assert.match(approval.id, /^apr_/);
    socket.send({ type: 'approval', approval_id: approval.id, behavior: 'allow' });
    await socket.type('client_call');
    socket.send({ type: 'client_result', tool_use_id: 'picks', content: 'red' });
    const { turn, messages } = await socket.type('turn_completed');
    const events = socket.frames.filter(({ seq }) => seq !== undefined);
    for (const event of events) has(event, [...ENVELOPE, ...(FIELDS[event['type'] as string] ?? [])], event['type'] as string);
    assert.deepEqual(new Set(events.map(({ type }) => type as string)), new Set(Object.keys(FIELDS)));
    for (const { time, session_id } of events) {
      assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.equal(session_id, id);
    }
    const [started] = socket.ofType('call_started');
    assert.deepEqual([started?.['coerced'], started?.['decision']], [['text'], { behavior: 'allow', decided_by: 'approval' }]);
    assert.deepEqual(socket.ofType('context_changed')[0]?.['changes'], { todos });
    has(turn, ['id', 'status', 'duration_ms', 'last_seq', 'stop', 'batches', 'calls'], 'the turn');
    assert.match(turn.id, /^turn_/);
    assert.equal(turn.last_seq, events.at(-1)?.['seq']);
    assert.equal(messages.length, 1);
  });

  test('bring the results as blocks of Anthropic, whatever the format of the messages', async () => {
    const { socket } = await open({ permissions: { mode: 'bypassPermissions' } });
    const tool_calls = [{ id: 'c1', type: 'function', function: { name: 'Work', arguments: '{"label":"x"}' } }];
    socket.send({ type: 'message', message: { role: 'assistant', content: null, tool_calls } });
    const { result } = await socket.type('tool_result');
    assert.deepEqual(result, { type: 'tool_result', tool_use_id: 'c1', content: 'done x', is_error: false });
    assert.deepEqual((await socket.type('turn_completed'))['messages'], [{ role: 'tool', tool_call_id: 'c1', content: 'done x' }]);
    assert.equal(socket.ofType('turn_started')[0]?.['format'], 'openai_chat');
  });

  test('tell a reader that comes in the middle enough to draw what is open', async () => {
    const { id, socket } = await open();
    const calls = [call('runs', 'Work', { ms: 60_000 }), call('asks', 'Careful', { text: 'x' })];
    socket.send({ type: 'message', message: assistant(calls) });
    await socket.type('approval_requested');
    await socket.type('call_started');
    const hello = await (await server.socket(`/v1/sessions/${id}/stream`)).type('session');
    assert.deepEqual(
      [hello['protocol'], hello['seq'], hello['session'].id, typeof hello['tools'].count, hello['approvals'].length],
      [1, undefined, id, 'number', 1],
    );
    const [runs, asks] = hello['open_turns'][0].calls as Json[];
    assert.deepEqual([runs?.['tool_use_id'], runs?.['input'], runs?.['state']], ['runs', { ms: 60_000 }, 'executing']);
    assert.ok(runs?.['view'].title);
    assert.deepEqual([asks?.['tool_use_id'], asks?.['input'], asks?.['state']], ['asks', { text: 'x' }, 'queued']);
    socket.send({ type: 'abort' });
    await socket.type('turn_completed');
    assert.deepEqual(
      socket.ofType('approval_resolved').map(({ behavior, by }) => [behavior, by]),
      [['deny', 'abort']],
    );
  });
});
