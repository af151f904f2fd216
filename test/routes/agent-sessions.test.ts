// The sessions of agents: they go by the settings of the session that wants them, and leave nothing behind.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { SessionOptions } from '../../src/sessions/settings/session-options.ts';
import { lastWords, startModelServer, type Script } from '../support/model-server.ts';
import { startProcess } from '../support/process.ts';
import { assistant, call, resultsOf, startServer, type Json } from '../support/server.ts';

const agent = (id: string, more: Json = {}): Json => call(id, 'Agent', { description: id, prompt: 'Do it.', ...more });
const bash = (command: string): { name: string; input: Json } => ({ name: 'Bash', input: { command } });

async function directory(t: TestContext): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'toolexec-agents-'));
  t.after(() => rm(made, { recursive: true, force: true }));
  return made;
}

async function service(t: TestContext, script: Script, env: Record<string, string> = {}) {
  const model = await startModelServer(t, script);
  const settings = { TOOLEXEC_MODEL_BASE_URL: model.url, TOOLEXEC_MODEL: 'scripted', ...env };
  const server = await startServer(t, { env: settings });
  const childrenOf = async (id: string): Promise<Json[]> =>
    ((await server.request('GET', '/v1/sessions')).body['data'] as Json[]).filter((each) => each['parent']?.session_id === id);
  const patch = (id: string, permissions: Json) => server.request('PATCH', `/v1/sessions/${id}`, { permissions });
  return { model, server, settings, childrenOf, patch };
}

test('Rules that a session gets while agents run hold for them at once, also for agents of agents', async (t) => {
  const changed = Promise.withResolvers<void>();
  const { model, server, patch } = await service(t, async (request, index) => {
    if (index === 0) return { calls: [{ name: 'Agent', input: { description: 'b', prompt: 'Do it.' } }] };
    if (index > 1) return { text: lastWords(request) };
    await changed.promise;
    return { calls: [bash('touch made.txt')] };
  });
  const id = await server.session();
  const posted = server.post(id, [agent('a')]);
  await model.request(1);
  assert.equal((await patch(id, { deny: ['Bash'] })).status, 200);
  changed.resolve();
  assert.match(resultsOf((await posted).body)[0] ?? '', /No tool named "Bash"|The rule Bash denies it/);
});

test('An agent that only looks goes on so, whatever mode its session changes to; others follow', async (t) => {
  const changed = Promise.withResolvers<void>();
  const { model, server, patch } = await service(t, async (request, index) => {
    if (index > 1) return { text: lastWords(request) };
    await changed.promise;
    return { calls: [{ name: 'Write', input: { file_path: 'made.txt', content: 'x' } }] };
  });
  const id = await server.session({ permissions: { mode: 'default', ask_timeout_ms: 0 } });
  const posted = server.post(id, [agent('a', { subagent_type: 'explore' }), agent('b')]);
  await model.request(1);
  await patch(id, { mode: 'bypassPermissions' });
  changed.resolve();
  const [looks, works] = resultsOf((await posted).body);
  assert.match(looks ?? '', /mode plan/);
  assert.doesNotMatch(works ?? '', /denied/);
  const { body } = await server.request('GET', `/v1/sessions/${id}`);
  assert.ok(existsSync(join(body['workspace'].path, 'made.txt')));
});

test('A session of an agent that has ended is not held in memory, and follows its parent when it is opened again', async (t) => {
  const { server, patch, childrenOf } = await service(t, () => ({ text: 'Done.' }));
  const id = await server.session();
  await server.post(id, [agent('a'), agent('b')]);
  const { body: metrics } = await server.request('GET', '/metrics');
  assert.match(metrics['text'], /^toolexec_sessions_in_memory 1$/m);
  await patch(id, { mode: 'default', deny: ['Bash(touch:*)'] });
  const [child] = await childrenOf(id);
  const [result] = resultsOf((await server.post(child?.['id'], [call('t', 'Bash', { command: 'touch made.txt' })])).body);
  assert.match(result ?? '', /The rule Bash\(touch:\*\) denies it/);
  assert.equal((await server.request('GET', `/v1/sessions/${child?.['id']}`)).body['permissions'].mode, 'default');
});

test('An answer with more calls than a turn may hold runs no more than those, and says so of the others', async (t) => {
  const file = join(await directory(t), 'config.json');
  await writeFile(file, JSON.stringify({ limits: { calls_per_turn: 2 } }));
  const calls = ['a', 'b', 'c', 'd'].map((id) => ({ id, name: 'Glob', input: { pattern: '*' } }));
  const { model, server } = await service(t, (_request, index) => (index === 0 ? { calls } : { text: 'Done.' }), { TOOLEXEC_CONFIG: file });
  await server.post(await server.session(), [agent('a')]);
  const { body } = await model.request(1);
  const results = body['messages'].at(-1).content as Json[];
  assert.deepEqual(
    results.map((result) => [result['tool_use_id'], result['is_error'] === true]),
    [
      ['a', false],
      ['b', false],
      ['c', true],
      ['d', true],
    ],
  );
  assert.match(String(results.at(-1)?.['content']), /not run: at most 2 calls/);
});

test('After kill -9 nothing that an agent had still to do is done, and nobody is asked for it', async (t) => {
  const model = await startModelServer(t, () => ({ calls: [bash('touch begun.txt; sleep 30'), bash('touch late.txt')] }));
  const env = { TOOLEXEC_DATA_DIR: await directory(t), TOOLEXEC_MODEL_BASE_URL: model.url, TOOLEXEC_MODEL: 'scripted' };
  const ask = async (url: string, method: string, path: string, body?: Json): Promise<Json> => {
    const headers: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return (await response.json()) as Json;
  };
  const first = await startProcess(t, env);
  const session = await ask(first.url, 'POST', '/v1/sessions', { permissions: { mode: 'bypassPermissions' } });
  const message = assistant([agent('a')]);
  const lost = ask(first.url, 'POST', `/v1/sessions/${session['id']}/messages`, message).catch(() => null);
  const file = (name: string): string => join(session['workspace'].path, name);
  while (!existsSync(file('begun.txt'))) await sleep(20);
  await first.end('SIGKILL');
  await lost;
  const second = await startProcess(t, env);
  const retry = await ask(second.url, 'POST', `/v1/sessions/${session['id']}/messages`, message);
  assert.match(resultsOf(retry)[0] ?? '', /^a: /);
  assert.equal(retry['turn'].calls[0].outcome, 'outcome_unknown');
  const { data } = await ask(second.url, 'GET', '/v1/sessions');
  const child = (data as Json[]).find(({ parent }) => parent?.session_id === session['id']);
  const turns = (await ask(second.url, 'GET', `/v1/sessions/${child?.['id']}/turns`))['data'] as Json[];
  assert.deepEqual(
    turns.map(({ status }) => status),
    ['aborted'],
  );
  assert.equal(existsSync(file('late.txt')), false);
});

test('A session for an agent whose own is deleted meanwhile is not left behind', async (t) => {
  const dataDir = await directory(t);
  const app = await buildApp({ config: readConfig({ TOOLEXEC_PORT: '0', TOOLEXEC_DATA_DIR: dataDir }), logger: undefined });
  t.after(() => app.close());
  await app.ready();
  const { sessions, store } = app.services;
  const parent = await sessions.create('', SessionOptions.parse({}));
  const child = { sessionId: parent.id, turnId: 'turn_1', toolUseId: 'a', root: { sessionId: parent.id, turnId: 'turn_1' }, depth: 1 };
  const making = sessions.createWithin({ parent, child, state: parent.state });
  const removing = sessions.remove('', parent.id);
  await assert.rejects(making, /is closed/);
  await removing;
  assert.equal(await store.countSessions(''), 0);
  assert.equal(sessions.openCount, 0);
});

test('Agents’ sessions go with the one that wants them, also those of agents of agents, and leave no directory', async (t) => {
  const inner = { calls: [{ name: 'Agent', input: { description: 'b', prompt: 'Do it.' } }] };
  const { server, childrenOf } = await service(t, (_request, index) => (index === 0 ? inner : { text: 'Done.' }));
  const id = await server.session();
  await server.post(id, [agent('a')]);
  const [outer] = await childrenOf(id);
  const [deepest] = await childrenOf(outer?.['id']);
  const gone = [id, outer?.['id'], deepest?.['id']] as string[];
  const kept = async (session: string): Promise<[number, boolean]> => [
    (await server.request('GET', `/v1/sessions/${session}`)).status,
    existsSync(join(server.dataDir, 'sessions', session)),
  ];
  for (const session of gone) assert.deepEqual(await kept(session), [200, true]);
  assert.equal((await server.request('DELETE', `/v1/sessions/${id}`)).status, 204);
  for (const session of gone) assert.deepEqual(await kept(session), [404, false]);
});

test('The session of the agent that ended first makes room for the 101st, and never that of one that works', async (t) => {
  const dataDir = await directory(t);
  const app = await buildApp({ config: readConfig({ TOOLEXEC_PORT: '0', TOOLEXEC_DATA_DIR: dataDir }), logger: undefined });
  t.after(() => app.close());
  await app.ready();
  const { sessions, store } = app.services;
  const parent = await sessions.create('', SessionOptions.parse({}));
  const child = { sessionId: parent.id, turnId: 'turn_1', toolUseId: 'a', root: { sessionId: parent.id, turnId: 'turn_1' }, depth: 1 };
  const open = () => sessions.createWithin({ parent, child, state: parent.state });
  const made = [];
  for (let count = 0; count < 100; count += 1) made.push(await open());
  await assert.rejects(open(), { code: 'too-many-requests' });
  const [first, second, third] = made;
  assert.ok(first && second && third);
  await sessions.rest(third);
  await sessions.rest(second);
  const newest = await open();
  await assert.rejects(sessions.get('', second.id), { code: 'session-not-found' });
  assert.equal(existsSync(join(dataDir, 'sessions', second.id)), false);
  for (const { id } of [first, third, newest]) assert.equal((await sessions.get('', id)).id, id);
  assert.equal(await store.countSessions(''), 101);
});

test('Files are put back from the session that wants agents alone, and not while one of them works', async (t) => {
  const ends = Promise.withResolvers<void>();
  const { model, server, childrenOf } = await service(t, async (_request, index) => {
    if (index > 0) await ends.promise;
    return { text: 'Done.' };
  });
  const id = await server.session();
  const { body: session } = await server.request('GET', `/v1/sessions/${id}`);
  const file = join(session['workspace'].path, 'a.txt');
  await writeFile(file, 'before');
  await server.post(id, [call('r', 'Read', { file_path: 'a.txt' })]);
  await server.post(id, [call('w', 'Write', { file_path: 'a.txt', content: 'after' }), agent('a')]);
  const [checkpoint] = (await server.request('GET', `/v1/sessions/${id}/checkpoints`)).body['data'] as Json[];
  const rewind = (of: string) => server.request('POST', `/v1/sessions/${of}/checkpoints/${checkpoint?.['id']}/rewind`);
  const [child] = await childrenOf(id);
  const elsewhere = await rewind(child?.['id']);
  assert.equal(elsewhere.status, 409);
  assert.match(elsewhere.body['detail'], new RegExp(`session of an agent, [^]*session ${id}: do it there`));
  const [started] = resultsOf((await server.post(id, [agent('b', { run_in_background: true })])).body);
  const task = /task_\w+/.exec(started ?? '')?.[0];
  await model.request(1);
  const meanwhile = await rewind(id);
  assert.equal(meanwhile.status, 409);
  assert.match(meanwhile.body['detail'], new RegExp(`works in the background \\(${task}\\)`));
  assert.equal(await readFile(file, 'utf8'), 'after');
  ends.resolve();
  await server.post(id, [call('o', 'TaskOutput', { task_id: task, block: true, timeout: 60_000 })]);
  assert.equal((await rewind(id)).status, 200);
  assert.equal(await readFile(file, 'utf8'), 'before');
});

test('A question of an agent names the tool, and is taken back once it is answered at the agent’s own session', async (t) => {
  const heard = Promise.withResolvers<void>();
  const { server } = await service(t, async (request, index) => {
    if (index === 0) return { calls: [{ name: 'Write', input: { file_path: 'made.txt', content: 'x' } }] };
    // The agent does not end before its question is taken back.
    await heard.promise;
    return { text: lastWords(request) };
  });
  const id = await server.session({ permissions: { mode: 'default' } });
  const file = join((await server.request('GET', `/v1/sessions/${id}`)).body['workspace'].path, 'made.txt');
  const socket = await server.socket(`/v1/sessions/${id}/stream`);
  socket.send({ type: 'message', message: assistant([agent('a')]) });
  const { approval } = await socket.type('approval_requested');
  assert.deepEqual([approval.tool_use_id, approval.name, approval.input], ['a', 'Write', { file_path: file, content: 'x' }]);
  const child = socket.ofType('progress').find(({ data }) => data.kind === 'agent')?.['data'].session_id as string;
  const pending = async (of: string): Promise<Json[]> => (await server.request('GET', `/v1/sessions/${of}/approvals`)).body['data'];
  const [own] = await pending(child);
  assert.equal((await server.request('POST', `/v1/sessions/${child}/approvals/${own?.['id']}`, { behavior: 'allow' })).status, 200);
  const resolved = await socket.type('approval_resolved');
  assert.deepEqual([resolved['approval_id'], resolved['by'], await pending(id)], [approval.id, 'abort', []]);
  heard.resolve();
  assert.match(resultsOf(await socket.type('turn_completed'))[0] ?? '', /made\.txt/);
  assert.equal(await readFile(file, 'utf8'), 'x');
});
