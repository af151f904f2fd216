// Questions of the model to the user, asked through the session's client over both surfaces.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, resultsOf, startServer, type Json } from '../support/server.ts';

const options = [
  { label: 'Postgres', description: 'A server.' },
  { label: 'SQLite', description: 'A file.' },
];
const questions = [{ question: 'Which database?', header: 'Database', options, multiSelect: false }];
const ask = (id: string): Json => call(id, 'AskUserQuestion', { questions });
const outcomes = (body: Json): string[] => body['turn'].calls.map((one: Json) => one['outcome']);
const choice = (label: string): string => JSON.stringify({ answers: { 'Which database?': label } });
const words = (label: string): string => `The user has answered:\n\nWhich database?\n→ ${label}`;

function resultPath(session: string, turn: Json, id: string): string {
  return `/v1/sessions/${session}/turns/${turn['id']}/calls/${id}/result`;
}

test('AskUserQuestion', async (t) => {
  const server = await startServer(t);

  await t.test('waits for the user while other calls run, and is answered over REST', async () => {
    const session = await server.session({ permissions: { mode: 'plan' } });
    const calls = [ask('a'), call('b', 'Glob', { pattern: '*' })];
    const { body } = await server.post(session, calls);
    assert.equal(body['turn'].status, 'requires_action');
    assert.deepEqual(body['pending'], [{ type: 'client_call', tool_use_id: 'a', name: 'AskUserQuestion', input: { questions } }]);
    assert.deepEqual(body['turn'].batches, [{ concurrent: true, tool_use_ids: ['a', 'b'] }]);
    assert.deepEqual(outcomes(body), [null, 'ok']);
    const answer = await server.request('POST', resultPath(session, body['turn'], 'a'), { content: choice('SQLite') });
    assert.equal(answer.status, 200);
    const again = await server.post(session, calls);
    assert.equal(resultsOf(again.body)[0], `a: ${words('SQLite')}`);
  });

  await t.test('goes to the socket that answers questions, two at a time', async () => {
    const session = await server.session();
    const [watching, answering] = await Promise.all([1, 2].map(() => server.socket(`/v1/sessions/${session}/stream`)));
    assert.ok(watching && answering);
    answering.send({ type: 'subscribe', client_tools: ['AskUserQuestion'], ref: 1 });
    await answering.type('ack');
    watching.send({
      type: 'message',
      message: { role: 'assistant', content: [ask('a'), ask('b')].map((one) => ({ type: 'tool_use', ...one })) },
    });
    await answering.until(() => answering.ofType('client_call').length === 2);
    assert.deepEqual(watching.ofType('client_call'), []);
    assert.deepEqual(answering.ofType('client_call')[0]?.['input'], { questions });
    answering.send({ type: 'client_result', tool_use_id: 'b', content: choice('SQLite') });
    answering.send({ type: 'client_result', tool_use_id: 'a', content: [{ type: 'text', text: 'Neither.' }] });
    const done = await watching.type('turn_completed');
    assert.deepEqual(resultsOf(done), ['a: [{"type":"text","text":"Neither."}]', `b: ${words('SQLite')}`]);
    const started = watching.ofType('call_started')[0]?.['view'] as Json;
    assert.equal(started['title'], 'Database');
    assert.match(started['body'].text, /- Postgres: A server\./);
    const [, second] = watching.ofType('tool_result');
    assert.deepEqual(second?.['view'].body.rows, [['Which database?', 'SQLite']]);
  });

  await t.test(
    'asks nobody where nobody can answer: in a session without people, in the mode that asks nothing, and without a session',
    async () => {
      const silent = await server.session({ permissions: { mode: 'default', ask_timeout_ms: 0 } });
      const { body } = await server.post(silent, [ask('a')]);
      assert.deepEqual([body['turn'].status, outcomes(body)], ['completed', ['tool_error']]);
      assert.match(resultsOf(body)[0] ?? '', /decide by yourself/);
      const dontAsk = await server.session({ permissions: { mode: 'dontAsk' } });
      assert.deepEqual(outcomes((await server.post(dontAsk, [ask('a')])).body), ['denied']);
      const alone = await server.request('POST', '/v1/call', { name: 'AskUserQuestion', arguments: { questions } });
      assert.deepEqual([alone.body['is_error'], alone.body['outcome']], [true, 'tool_error']);
    },
  );

  await t.test('is refused with questions that cannot be told apart', async () => {
    const session = await server.session();
    const { body } = await server.post(session, [call('a', 'AskUserQuestion', { questions: [...questions, ...questions] })]);
    assert.deepEqual(outcomes(body), ['invalid_input']);
    assert.match(resultsOf(body)[0] ?? '', /Two questions are the same/);
  });

  const session = await server.session();
  const { body } = await server.post(session, [ask('a')]);
  await server.close();
  const after = await startServer(t, { dataDir: server.dataDir });

  await t.test('still waits after a restart of the service, and is asked once', async () => {
    const again = await after.post(session, [ask('a')]);
    assert.equal(again.body['turn'].status, 'requires_action');
    await after.request('POST', resultPath(session, body['turn'], 'a'), { content: choice('Postgres') });
    assert.deepEqual(resultsOf((await after.post(session, [ask('a')])).body), [`a: ${words('Postgres')}`]);
    const log = await after.request('GET', `/v1/sessions/${session}/events?follow=false`, undefined, { accept: 'application/json' });
    assert.equal(log.body['data'].filter((event: Json) => event['type'] === 'client_call').length, 1);
  });
});
