// Agents over the whole service: a scripted model asks for calls, and they run in sessions of the agents' own.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastWords, startModelServer, type ModelRequest, type ScriptedAnswer } from '../support/model-server.ts';
import { assistant, call, resultsOf, startServer, type Json } from '../support/server.ts';

const KEY = 'sk-model-0123456789';
/** What stands in the first words of commands that the tests start: by it the processes are found. */
const MARK = `toolexec-agent-${process.pid}`;

/** What the model answers in its `step`-th answer to one agent. */
type Play = (step: number, request: ModelRequest) => ScriptedAnswer;
/** By the first line of the prompt. */
const plays = new Map<string, Play>();

function script({ body }: ModelRequest): { play: Play; step: number } {
  const [first, ...rest] = body['messages'] as Json[];
  const title = String(first?.['content'][0].text).split('\n')[0] ?? '';
  return { play: plays.get(title) ?? (() => ({ status: 400 })), step: rest.filter(({ role }) => role === 'assistant').length };
}

/** A call of the Agent tool whose model plays this. */
function agent(id: string, play: Play, more: Json = {}): Json {
  const title = `${id} ${plays.size}`;
  plays.set(title, play);
  return call(id, 'Agent', { description: id, prompt: `${title}\nDo it.`, ...more });
}

const uses = (name: string, input: Json): ScriptedAnswer => ({ calls: [{ name, input }] });
const says = (text: string): ScriptedAnswer => ({ text });
/** Does one call, then says what came of it. */
const once =
  (name: string, input: Json): Play =>
  (step, request) =>
    step === 0 ? uses(name, input) : says(`It said: ${lastWords(request)}`);
const childIn = (text: string | undefined): string => /session (ses_\w+)/.exec(text ?? '')?.[1] ?? assert.fail(text);
const taskIn = (text: string | undefined): string => /task_\w+/.exec(text ?? '')?.[0] ?? assert.fail(text);
const toolsOf = ({ body }: ModelRequest): string[] => (body['tools'] as Json[]).map(({ name }) => name as string);

test('agents', async (t) => {
  const model = await startModelServer(t, (request) => {
    const { play, step } = script(request);
    return play(step, request);
  });
  const server = await startServer(t, {
    env: {
      TOOLEXEC_MODEL_BASE_URL: model.url,
      TOOLEXEC_MODEL_API_KEY: KEY,
      TOOLEXEC_MODEL: 'scripted',
      TOOLEXEC_FEATURES: 'teams',
    },
  });

  async function open(options: Json = {}): Promise<{ id: string; workspace: string; run: (...calls: Json[]) => Promise<string[]> }> {
    const id = await server.session(options);
    const { body } = await server.request('GET', `/v1/sessions/${id}`);
    return { id, workspace: body['workspace'].path, run: async (...calls) => resultsOf((await server.post(id, calls)).body) };
  }

  await t.test('read and edit files of the session that wants them, and share nothing else with it', async () => {
    const { id, workspace, run } = await open();
    const file = join(workspace, 'a.txt');
    await writeFile(file, 'one\n');
    const [result] = await run(
      agent('a', (step, request) => {
        if (step === 0) return { text: 'First I read.', calls: [{ name: 'Read', input: { file_path: 'a.txt' } }] };
        if (step === 1) return uses('Edit', { file_path: file, old_string: 'one', new_string: 'two' });
        return says(/updated|edited|applied|replaced/i.test(lastWords(request)) ? 'It says two now.' : lastWords(request));
      }),
    );
    assert.match(result ?? '', /^a: It says two now\.\n\n\[The agent \(session ses_\w+\) made 2 tool calls/);
    assert.equal(await readFile(file, 'utf8'), 'two\n');
    // The session itself has not read the file, whoever of its agents has.
    assert.match(
      (await run(call('e', 'Edit', { file_path: file, old_string: 'two', new_string: 'x' })))[0] ?? '',
      /has not been read in this session/,
    );
    const child = await server.request('GET', `/v1/sessions/${childIn(result)}`);
    assert.deepEqual(child.body['workspace'].path, workspace);
    assert.equal(child.body['parent'].session_id, id);
    const events = await server.request('GET', `/v1/sessions/${id}/events?follow=false`, undefined, { accept: 'application/json' });
    assert.deepEqual(
      (events.body['data'] as Json[]).filter(({ type }) => type === 'call_started').map(({ name }) => name),
      ['Agent', 'Edit'],
      'what an agent does stands in its own log',
    );
  });

  await t.test('work side by side, and answer in the order of their calls', async () => {
    const { run } = await open();
    const meets = (own: string, other: string): Play =>
      once('Bash', { command: `touch ${own}; while [ ! -e ${other} ]; do sleep 0.02; done; echo ${own} met ${other}` });
    const results = await run(agent('a', meets('x', 'y')), agent('b', meets('y', 'x')));
    assert.match(results.join('\n'), /^a: It said: x met y[^]*\nb: It said: y met x/);
  });

  await t.test('start agents as deep as the operator lets them, and no deeper', async () => {
    const { run } = await open();
    const seen: boolean[] = [];
    const inner = agent('inner', (step, request) => {
      seen.push(toolsOf(request).includes('Agent'));
      return step === 0 ? uses('Agent', { description: 'deepest', prompt: 'x' }) : says(`inner: ${lastWords(request)}`);
    });
    const [result] = await run(
      agent('outer', (step, request) => {
        seen.push(toolsOf(request).includes('Agent'));
        return step === 0 ? uses('Agent', inner['input']) : says(`outer: ${lastWords(request)}`);
      }),
    );
    assert.match(result ?? '', /inner: <tool_use_error>No tool named "Agent" is available/);
    assert.deepEqual(seen, [true, false, false, true]);
  });

  await t.test('end with their call, and so do the commands that they run', async () => {
    const { id } = await open();
    const name = `${MARK}-abort`;
    const posted = server.post(id, [agent('a', once('Bash', { command: `exec -a ${name} sleep 600` }))]);
    while ((await processesNamed(name)).length === 0) await sleep(10);
    const { body } = await server.request('GET', `/v1/sessions/${id}/turns`);
    const turn = body['data'][0].id as string;
    assert.equal((await server.request('POST', `/v1/sessions/${id}/turns/${turn}/abort`, {})).status, 202);
    assert.equal((await posted).body['turn'].calls[0].outcome, 'aborted');
    while ((await processesNamed(name)).length > 0) await sleep(10);
  });

  await t.test('ask the client of the session that wants them where a call of theirs needs a yes', async () => {
    const { id, workspace } = await open({ permissions: { mode: 'default' } });
    const socket = await server.socket(`/v1/sessions/${id}/stream`);
    const writes = (file: string): Play => once('Write', { file_path: file, content: 'x' });
    socket.send({ type: 'message', message: assistant([agent('yes', writes('yes.txt')), agent('no', writes('no.txt'))]) });
    const asked = async (toolUseId: string): Promise<Json> =>
      (await socket.until(({ type, approval }) => type === 'approval_requested' && approval.tool_use_id === toolUseId))['approval'];
    const [yes, no] = await Promise.all([asked('yes'), asked('no')]);
    assert.match(yes['reason'], /An agent wants to use Write/);
    assert.match(JSON.stringify(yes['input']), /yes\.txt/);
    socket.send({ type: 'approval', approval_id: yes['id'], behavior: 'allow' });
    socket.send({ type: 'approval', approval_id: no['id'], behavior: 'deny', message: 'not this one' });
    const [allowed, denied] = resultsOf(await socket.type('turn_completed'));
    assert.match(allowed ?? '', /yes\.txt/);
    assert.match(denied ?? '', /denied: not this one/);
    assert.deepEqual([existsSync(join(workspace, 'yes.txt')), existsSync(join(workspace, 'no.txt'))], [true, false]);
    const told = socket
      .ofType('progress')
      .filter(({ tool_use_id: of }) => of === 'yes')
      .map(({ data }) => data);
    assert.deepEqual(told[0].status, 'started');
    assert.ok(told.some(({ kind, event }) => kind === 'agent_event' && event.type === 'call_started' && event.name === 'Write'));
    assert.ok(told.some(({ kind, text }) => kind === 'agent_text' && /It said/.test(text)));
  });

  await t.test('are held by the rules of the session that wants them, and themselves fall under rules for their type', async () => {
    const permissions = { mode: 'bypassPermissions', deny: ['Read(./secret.txt)', 'Agent(explore)'] };
    const { workspace, run } = await open({ permissions });
    await writeFile(join(workspace, 'secret.txt'), 'hidden words');
    const [read, explore] = await run(
      agent('a', once('Read', { file_path: 'secret.txt' })),
      agent('b', () => says('never asked'), { subagent_type: 'explore' }),
    );
    assert.match(read ?? '', /It said: [^]*denied: The rule Read/);
    assert.doesNotMatch(read ?? '', /hidden words/);
    assert.match(explore ?? '', /denied: The rule Agent\(explore\) denies it/);
  });

  await t.test('need no question of their own, whatever the mode, and explore without changing anything', async () => {
    for (const mode of ['default', 'plan', 'dontAsk']) {
      const { workspace, run } = await open({ permissions: { mode } });
      await writeFile(join(workspace, 'found.txt'), 'x');
      const seen: string[][] = [];
      const [result] = await run(
        agent(
          'a',
          (step, request) => {
            seen.push(toolsOf(request));
            if (step > 0) return says(lastWords(request));
            return { calls: ['ls', 'touch made.txt'].map((command) => ({ name: 'Bash', input: { command } })) };
          },
          { subagent_type: 'explore' },
        ),
      );
      assert.match(result ?? '', /^a: found\.txt\n[^]*denied: This session \(mode plan\)/, mode);
      assert.ok(seen[0]?.includes('Grep') && !seen[0].includes('AskUserQuestion') && !seen[0].includes('ExitPlanMode'));
      assert.equal(existsSync(join(workspace, 'made.txt')), false);
    }
  });

  await t.test('learn that arguments are no JSON, like every model', async () => {
    const { run } = await open();
    const [result] = await run(
      agent('a', (step, request) => (step === 0 ? { calls: [{ name: 'Glob', json: '{"pattern": "*' }] } : says(lastWords(request)))),
    );
    assert.match(result ?? '', /arguments are not valid JSON/);
  });

  await t.test('fail in words that show no key when the model does', async () => {
    const { run } = await open();
    const [result] = await run(agent('a', (_step, { headers }) => ({ status: 401, message: String(headers['authorization']) })));
    assert.match(result ?? '', /does not take the key of this service/);
    assert.ok(!result?.includes(KEY));
  });

  await t.test('go on in the background, where TaskOutput shows what they say and nobody is asked', async () => {
    const { workspace, run } = await open({ permissions: { mode: 'default' } });
    const [started] = await run(agent('a', once('Write', { file_path: 'x.txt', content: 'x' }), { run_in_background: true }));
    const [output] = await run(call('o', 'TaskOutput', { task_id: taskIn(started), block: true, timeout: 60_000 }));
    assert.match(output ?? '', /It said: [^]*background, where nobody can be asked/);
    assert.match(output ?? '', /The agent \(session ses_\w+\) made 1 tool call/);
    assert.equal(existsSync(join(workspace, 'x.txt')), false);
  });

  await t.test('of a team write to each other, and wait for messages until the team ends', async () => {
    const { id, run } = await open();
    await run(call('t', 'TeamCreate', { team_name: 'crew' }));
    const heard = Promise.withResolvers<string>();
    // The message may be there before the first question is asked.
    const bob: Play = (_step, request) => {
      const words = lastWords(request);
      if (words.includes('Message from')) heard.resolve(words);
      return says('I listen.');
    };
    const inTeam = { team_name: 'crew', run_in_background: true };
    const [first] = await run(agent('b', bob, { ...inTeam, name: 'bob' }));
    const [second] = await run(agent('a', once('SendMessage', { to: 'bob', message: 'the port is 80' }), { ...inTeam, name: 'ada' }));
    assert.match(await heard.promise, /Message from ada:\nthe port is 80$/);
    const [deleted] = await run(call('d', 'TeamDelete', { team_name: 'crew' }));
    assert.match(deleted ?? '', /Its members were bob, ada/);
    const tasks = await server.request('GET', `/v1/sessions/${id}/tasks`);
    assert.deepEqual(
      (tasks.body['data'] as Json[]).map(({ id: taskId, status }) => [taskId, status]),
      [
        [taskIn(second), 'stopped'],
        [taskIn(first), 'stopped'],
      ],
    );
  });

  await t.test('are not there without a model', async (own) => {
    const { body } = await (await startServer(own)).request('GET', '/v1/tools');
    const names = (body['tools'] as Json[]).map(({ name }) => name as string);
    assert.ok(names.includes('Read') && !names.includes('Agent'));
  });
});

/** Process ids by the name that a command has given itself: in a sandbox, numbers of processes are others. */
async function processesNamed(name: string): Promise<number[]> {
  const ids = (await readdir('/proc')).filter((id) => /^\d+$/.test(id));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')));
  return ids.filter((_, index) => lines[index]?.startsWith(`${name}\0`)).map(Number);
}
