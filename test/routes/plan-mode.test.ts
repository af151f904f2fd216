// Plan mode and the lists of a session, over the real service: what calls change is seen by everybody, and kept.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import { call, resultsOf, startServer, type Json, type TestServer } from '../support/server.ts';

const plan = { plan: '# Plan\n1. Write a file.' };
const exit = call('exit', 'ExitPlanMode', plan);
const write = call('write', 'Write', { file_path: 'a.txt', content: 'a' });
const outcomes = (body: Json): string[] => body['turn'].calls.map((one: Json) => `${one['tool_use_id']} ${one['outcome']}`);

async function sessionView(server: TestServer, session: string): Promise<Json> {
  return (await server.request('GET', `/v1/sessions/${session}`)).body;
}

const modeOf = async (server: TestServer, session: string): Promise<string> =>
  (await sessionView(server, session))['permissions'].mode as string;

/** Posts calls of which one waits for people, and answers it. @returns the approval, and the reply once the turn has ended */
async function answered(
  server: TestServer,
  session: string,
  request: { calls: Json[]; answer: Json },
): Promise<{ asked: Json; reply: Json }> {
  const { body } = await server.post(session, request.calls);
  assert.equal(body['turn'].status, 'requires_action', JSON.stringify(body));
  const { body: open } = await server.request('GET', `/v1/sessions/${session}/approvals`);
  const [asked] = open['data'] as Json[];
  assert.ok(asked);
  const taken = await server.request('POST', `/v1/sessions/${session}/approvals/${asked['id']}`, request.answer);
  assert.equal(taken.status, 200, JSON.stringify(taken.body));
  return { asked, reply: (await server.post(session, request.calls)).body };
}

async function changesIn(server: TestServer, session: string): Promise<Json[]> {
  const { body } = await server.request('GET', `/v1/sessions/${session}/events?follow=false`, undefined, { accept: 'application/json' });
  return (body['data'] as Json[]).filter(({ type }) => type === 'context_changed').map(({ changes }) => changes as Json);
}

test('plan mode', async (t) => {
  const server = await startServer(t);

  await t.test('begins in the middle of a message: what follows may only read', async () => {
    const session = await server.session();
    const { body } = await server.post(session, [
      write,
      call('enter', 'EnterPlanMode'),
      { ...write, id: 'late' },
      call('ls', 'Glob', { pattern: '*' }),
    ]);
    assert.deepEqual(outcomes(body), ['write ok', 'enter ok', 'late denied', 'ls ok']);
    assert.match(resultsOf(body)[2] ?? '', /mode plan/);
    assert.equal(await modeOf(server, session), 'plan');
    assert.deepEqual(await changesIn(server, session).then((all) => all.map(({ mode }) => mode as string)), ['plan']);
  });

  await t.test('ends when people approve the plan, in the mode before; the model gets the plan as they have changed it', async () => {
    const session = await server.session({ permissions: { mode: 'acceptEdits', allow: ['ExitPlanMode'] } });
    await server.post(session, [call('enter', 'EnterPlanMode')]);
    const changed = { plan: '# Plan\n1. Write two files.' };
    const calls = [exit, write];
    const { asked, reply } = await answered(server, session, { calls, answer: { behavior: 'allow', updated_input: changed } });
    assert.deepEqual([asked['name'], asked['input'], asked['suggestions']], ['ExitPlanMode', plan, []]);
    assert.match(asked['reason'], /mode acceptEdits/);
    assert.deepEqual(outcomes(reply), ['exit ok', 'write ok']);
    assert.ok(resultsOf(reply)[0]?.endsWith(changed.plan));
    assert.equal(await modeOf(server, session), 'acceptEdits');
  });

  await t.test('goes on when people do not approve, and the model reads why', async () => {
    const session = await server.session();
    await server.post(session, [call('enter', 'EnterPlanMode')]);
    const { reply } = await answered(server, session, {
      calls: [exit, write],
      answer: { behavior: 'deny', message: 'Write a test first.' },
    });
    assert.deepEqual(outcomes(reply), ['exit denied', 'write denied']);
    assert.match(resultsOf(reply)[0] ?? '', /Write a test first\./);
    assert.equal(await modeOf(server, session), 'plan');
  });

  await t.test('of a session that began in it ends in the mode that asks', async () => {
    const session = await server.session({ permissions: { mode: 'plan' } });
    await answered(server, session, { calls: [exit], answer: { behavior: 'allow' } });
    assert.equal(await modeOf(server, session), 'default');
  });

  await t.test('cannot be left where nobody is asked, and outside of it there is nothing to leave', async () => {
    const session = await server.session({ permissions: { mode: 'bypassPermissions', ask_timeout_ms: 0, allow: ['ExitPlanMode'] } });
    assert.match(resultsOf((await server.post(session, [exit])).body)[0] ?? '', /not in plan mode/);
    const { body } = await server.post(session, [call('enter', 'EnterPlanMode'), { ...exit, id: 'again' }]);
    assert.deepEqual(outcomes(body), ['enter ok', 'again denied']);
    assert.equal(await modeOf(server, session), 'plan');
  });

  await t.test('denies edits of notebooks, which are read and changed cell by cell outside of it', async () => {
    const session = await server.session();
    const cell = { cell_type: 'code', metadata: {}, source: ['1 + 1'], outputs: [], execution_count: 1 };
    const content = JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 4 });
    const edit = (id: string, more: Json): Json => call(id, 'NotebookEdit', { notebook_path: 'a.ipynb', ...more });
    const { body } = await server.post(session, [
      call('write', 'Write', { file_path: 'a.ipynb', content }),
      call('read', 'Read', { file_path: 'a.ipynb' }),
      edit('replace', { cell_id: 'cell-0', new_source: '2 + 2' }),
      edit('insert', { edit_mode: 'insert', cell_type: 'markdown', new_source: '# Sums' }),
      edit('none', { cell_id: 'cell-9', new_source: '' }),
      call('again', 'Read', { file_path: 'a.ipynb' }),
    ]);
    assert.deepEqual(outcomes(body), ['write ok', 'read ok', 'replace ok', 'insert ok', 'none tool_error', 'again ok']);
    const shown = resultsOf(body).at(-1) ?? '';
    assert.ok(shown.includes('# Sums') && shown.includes('2 + 2') && !shown.includes('1 + 1'), shown);
    const { workspace } = await sessionView(server, session);
    assert.deepEqual(await readdir(workspace.path), ['a.ipynb']);
    const planned = await server.request('PATCH', `/v1/sessions/${session}`, { permissions: { mode: 'plan' } });
    assert.equal(planned.status, 200);
    const denied = await server.post(session, [edit('late', { cell_id: 'cell-0', new_source: '' })]);
    assert.deepEqual(outcomes(denied.body), ['late denied']);
  });
});

test('what calls have changed of a session outlives a restart of the service', async (t) => {
  const first = await startServer(t, { env: { TOOLEXEC_FEATURES: 'tasks' } });
  const planning = await first.session({ permissions: { mode: 'acceptEdits' } });
  await first.post(planning, [call('enter', 'EnterPlanMode')]);
  const midway = await first.session({ permissions: { mode: 'acceptEdits' } });
  const entering = [call('enter', 'EnterPlanMode'), exit];
  assert.equal((await first.post(midway, entering)).body['turn'].status, 'requires_action');
  const listing = await first.session();
  const todos = [{ content: 'Read', status: 'in_progress', activeForm: 'Reading' }];
  await first.post(listing, [
    call('a', 'TodoWrite', { todos }),
    call('b', 'TaskCreate', { subject: 'Plan', description: '' }),
    call('c', 'TaskCreate', { subject: 'Build', description: '' }),
    call('d', 'TaskUpdate', { taskId: '2', addBlockedBy: ['1'] }),
    call('e', 'TaskUpdate', { taskId: '2', status: 'deleted' }),
  ]);
  const changes = await changesIn(first, listing);

  await t.test('its lists are told to its readers as they change', async () => {
    assert.deepEqual((await sessionView(first, listing))['todos'], todos);
    assert.deepEqual(changes[0], { todos });
    assert.deepEqual(
      changes.slice(1).map(({ task_list }) => (task_list as Json[]).map(({ id, blockedBy }) => `${id} ${blockedBy}`)),
      [['1 '], ['1 ', '2 '], ['1 ', '2 1'], ['1 ']],
    );
  });

  await first.close();
  const second = await startServer(t, { dataDir: first.dataDir, env: { TOOLEXEC_FEATURES: 'tasks' } });

  await t.test('its lists are there, and no id of a task is used again', async () => {
    assert.deepEqual((await sessionView(second, listing))['todos'], todos);
    const { body } = await second.post(listing, [call('f', 'TaskCreate', { subject: 'Paint', description: '' }), call('g', 'TaskList')]);
    assert.deepEqual(resultsOf(body), ['f: Created task #3 [pending] Paint', 'g: #1 [pending] Plan\n#3 [pending] Paint']);
  });

  await t.test('plan mode goes on, and ends in the mode before', async () => {
    const { body } = await second.post(planning, [write]);
    assert.deepEqual(outcomes(body), ['write denied']);
    await answered(second, planning, { calls: [exit], answer: { behavior: 'allow' } });
    assert.equal(await modeOf(second, planning), 'acceptEdits');
  });

  await t.test('plan mode that began in the very turn that was interrupted ends in the mode before, too', async () => {
    const { reply } = await answered(second, midway, { calls: entering, answer: { behavior: 'allow' } });
    assert.deepEqual(outcomes(reply), ['enter ok', 'exit ok']);
    assert.equal(await modeOf(second, midway), 'acceptEdits');
  });
});

test('plan mode never ends in a mode that nobody has set, or the operator does not allow', async (t) => {
  const server = await startServer(t, { env: { TOOLEXEC_ALLOWED_MODES: 'plan,acceptEdits,bypassPermissions' } });
  const session = await server.session();
  await server.post(session, [call('enter', 'EnterPlanMode')]);
  for (const mode of ['acceptEdits', 'plan']) await server.request('PATCH', `/v1/sessions/${session}`, { permissions: { mode } });
  const { body } = await server.post(session, [exit]);
  assert.deepEqual(outcomes(body), ['exit denied']);
  assert.match(resultsOf(body)[0] ?? '', /mode default, which the operator does not allow/);
  assert.equal(await modeOf(server, session), 'plan');
});
