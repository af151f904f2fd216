// Commands that run while the service is killed: whoever asks for their calls after a restart gets what they would have got.
// One service a place, killed once with all of them, and a second one that is killed together with its helpers.
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startHeldService, textAt, until, type HeldService } from './support/crash.ts';
import { call, resultsOf, type Json } from './support/server.ts';

/** Two starts of the service and all commands, on a machine that is busy with other tests. */
const STARTS = { timeout: 240_000 };

const PLACES = [
  ['in the sandbox', 'required'],
  ['without a sandbox', 'off'],
] as const;

/** Prints, waits for a file in the workspace, prints again. */
const waiting = (file: string): string => `echo one; while [ ! -e ${file} ]; do sleep 0.05; done; echo two`;
/** Has its effect once, and ends elsewhere. */
const LINE = `echo running >> effects; mkdir -p inner; cd inner; ${waiting('../go')}`;
const callsWith = (line: string): Json[] => [
  call('before', 'Bash', { command: 'echo before >> effects' }),
  call('running', 'Bash', { command: line }),
  call('after', 'Bash', { command: 'pwd; echo after >> ../effects' }),
];
const CALLS = callsWith(LINE);
const FAILING = callsWith(`${LINE}; exit 3`);
const IDS = ['before', 'running', 'after'];
const TASKS = ['ends', 'fails', 'answers', 'stopped', 'meanwhile'];
const LAST: Record<string, string> = { fails: '; exit 3', answers: '; grep nothing answers' };
const taskLine = (name: string): string => `${waiting(name)}${LAST[name] ?? ''}`;

interface Opened {
  readonly id: string;
  readonly workspace: string;
  readonly outputs: string;
}

interface Helper {
  readonly helper: { readonly pid: number };
  readonly directory: string;
}

async function open(service: HeldService): Promise<Opened> {
  const { id, workspace } = await service.session();
  return { id, workspace, outputs: join(service.dataDir, 'sessions', id, 'outputs') };
}

/** @returns when the command of the second call, or each of the tasks, has printed something */
async function running(service: HeldService, calls: Json[]): Promise<Opened> {
  const session = await open(service);
  const tasks = calls.filter(({ input }) => input.run_in_background === true).length;
  service.begin(session.id, calls);
  const printed = async (): Promise<boolean> => {
    const files = readdirSync(session.outputs).filter((name) => name.endsWith('.txt'));
    const texts = await Promise.all(files.map((name) => textAt(session.outputs, name)));
    return texts.filter((text) => text === 'one\n').length === (tasks || 1);
  };
  await until(printed, 'all commands print');
  return session;
}

const besideOutputs = ({ outputs }: Opened, end: string): string[] => readdirSync(outputs).filter((name) => name.endsWith(end));

/** Those that run the commands of these sessions. */
async function helpersOf(sessions: readonly Opened[]): Promise<Helper[]> {
  const records = sessions.flatMap((session) => besideOutputs(session, '.run').map((name) => textAt(session.outputs, name)));
  return (await Promise.all(records)).map((text) => JSON.parse(text.split('\n', 1)[0] ?? '') as Helper);
}

const outcomes = (body: Json): string[] => body['turn'].calls.map((one: Json) => `${one['tool_use_id']} ${one['outcome']}`);
const allOk = IDS.map((id) => `${id} ok`);
const turnIn = async (service: HeldService, { id }: Opened): Promise<string> => (await service.events(id))[0]?.['turn_id'];

async function endedTasks(service: HeldService, { id }: Opened, count: number): Promise<Json[]> {
  const ended = async (): Promise<Json[]> => (await service.events(id)).filter(({ type }) => type === 'task_finished');
  await until(async () => (await ended()).length >= count, 'the ends of tasks are told');
  return (await ended()).map(({ task }) => task);
}

for (const [where, mode] of PLACES) {
  describe(`when the service was killed, and not its helpers, ${where},`, () => {
    const cleaning: (() => unknown)[] = [];
    let service: HeldService;
    let sessions: Record<'whole' | 'ended' | 'failing' | 'aborted' | 'moved' | 'tasks', Opened>;
    let helpers: Helper[];

    before(async () => {
      service = await startHeldService({ after: (work) => void cleaning.push(work as () => unknown) }, { TOOLEXEC_SANDBOX: mode });
      const tasks = TASKS.map((name) => call(name, 'Bash', { command: taskLine(name), run_in_background: true }));
      const [whole, ended, failing, aborted, moved, inBackground] = await Promise.all(
        [CALLS, CALLS, FAILING, CALLS, CALLS, tasks].map((calls) => running(service, calls)),
      );
      sessions = { whole, ended, failing, aborted, moved, tasks: inBackground } as typeof sessions;
      helpers = await helpersOf(Object.values(sessions));
      await service.process.end('SIGKILL');
      for (const [session, file] of [[sessions.ended, 'go'] as const, [sessions.tasks, 'meanwhile'] as const]) {
        const endings = besideOutputs(session, '.exit').length;
        await writeFile(join(session.workspace, file), '');
        await until(async () => besideOutputs(session, '.exit').length > endings, 'a command has ended meanwhile');
      }
      await service.again();
    }, STARTS);

    after(async () => {
      for (const work of cleaning.toReversed()) await work();
    });

    test('a call whose command runs is answered as if nothing had been: whole, once, in order', async () => {
      const { id, workspace, outputs } = sessions.whole;
      const posted = service.post(id, CALLS);
      await writeFile(join(workspace, 'go'), '');
      const { body, headers } = await posted;
      assert.equal(headers.get('toolexec-replayed'), 'true');
      assert.deepEqual(outcomes(body), allOk);
      assert.deepEqual(resultsOf(body).slice(1), ['running: one\ntwo', `after: ${workspace}/inner`]);
      assert.equal(await textAt(workspace, 'effects'), 'before\nrunning\nafter\n');
      const events = await service.events(id);
      for (const type of ['call_started', 'call_finished', 'tool_result']) {
        const told = events.filter((event) => event['type'] === type).map((event) => event['tool_use_id']);
        assert.deepEqual(told, IDS, type);
      }
      await until(async () => readdirSync(outputs).every((name) => !/\.(run|exit)$/.test(name)), 'nothing lies beside the outputs');
    });

    test('one whose command ended meanwhile is answered the same', async () => {
      const { id, workspace } = sessions.ended;
      const { body } = await service.post(id, CALLS);
      assert.deepEqual(outcomes(body), allOk);
      assert.deepEqual(resultsOf(body).slice(1), ['running: one\ntwo', `after: ${workspace}/inner`]);
      assert.equal(await textAt(workspace, 'effects'), 'before\nrunning\nafter\n');
    });

    test('one whose command fails has failed', async () => {
      const { id, workspace } = sessions.failing;
      await writeFile(join(workspace, 'go'), '');
      const { body } = await service.post(id, FAILING);
      assert.equal(outcomes(body)[1], 'running tool_error');
      assert.match(resultsOf(body)[1] ?? '', /^running: Exit code 3\none\ntwo\n/);
    });

    test('one that is aborted then ends its command', async () => {
      const session = sessions.aborted;
      const posted = service.post(session.id, CALLS);
      await service.request('POST', `/v1/sessions/${session.id}/turns/${await turnIn(service, session)}/abort`, {});
      const { body } = await posted;
      assert.equal(body['turn'].status, 'aborted');
      assert.match(resultsOf(body)[1] ?? '', /^running: Aborted: the command was killed.*\none\n/);
      assert.equal((await service.events(session.id)).filter(({ type }) => type === 'turn_completed').length, 1);
    });

    test('one can still be moved to the background, and ends there', async () => {
      const { moved } = sessions;
      const posted = service.post(moved.id, CALLS);
      const path = `/v1/sessions/${moved.id}/turns/${await turnIn(service, moved)}/calls/running/background`;
      await until(async () => (await service.request('POST', path)).status === 202, 'it is moved');
      assert.match(resultsOf((await posted).body)[1] ?? '', /goes on in the background/);
      await writeFile(join(moved.workspace, 'go'), '');
      const [task] = await endedTasks(service, moved, 1);
      assert.deepEqual([task?.['status'], task?.['exit_code'], task?.['output_bytes']], ['completed', 0, 8]);
    });

    test('tasks go on, can be read and stopped, and the end of each is told once', async () => {
      const { id, workspace } = sessions.tasks;
      const path = `/v1/sessions/${id}/tasks`;
      const { body } = await service.request('GET', path);
      const idOf = (name: string): string => body['data'].find(({ command }: Json) => command === taskLine(name)).id;
      assert.equal(body['data'].find((task: Json) => task['id'] === idOf('ends')).status, 'running');
      const { body: stopped } = await service.request('POST', `${path}/${idOf('stopped')}/stop`, {});
      assert.equal(stopped['status'], 'stopped');
      for (const name of ['ends', 'fails', 'answers']) await writeFile(join(workspace, name), '');
      const ended = await endedTasks(service, sessions.tasks, TASKS.length);
      assert.equal((await service.request('GET', `${path}/${idOf('ends')}`)).body['output'], 'one\ntwo\n');
      const said = ended.map((task) => [task['command'], task['status'], task['exit_code'], task['output_bytes']].join(' '));
      const expected = [
        'ends completed 0 8',
        'fails failed 3 8',
        'answers completed 1 8',
        'stopped stopped  4',
        'meanwhile completed 0 8',
      ].map((line) => {
        const [name = '', ...rest] = line.split(' ');
        return [taskLine(name), ...rest].join(' ');
      });
      assert.deepEqual(said.toSorted(), expected.toSorted());
    });

    test('the helpers leave when their last command has ended', async () => {
      assert.ok(helpers.length >= 9);
      await until(async () => helpers.every(({ directory }) => !existsSync(directory)), 'the helpers have left');
    });
  });

  describe(`when the service was killed, and its helpers with it, ${where},`, () => {
    const cleaning: (() => unknown)[] = [];
    let service: HeldService;
    let turn: Opened;
    let task: Opened;
    let helpers: Helper[];

    before(async () => {
      service = await startHeldService({ after: (work) => void cleaning.push(work as () => unknown) }, { TOOLEXEC_SANDBOX: mode });
      const lasting = [call('task', 'Bash', { command: waiting('never'), run_in_background: true })];
      [turn, task] = (await Promise.all([CALLS, lasting].map((calls) => running(service, calls)))) as [Opened, Opened];
      helpers = await helpersOf([turn, task]);
      await service.process.end('SIGKILL');
      for (const pid of new Set(helpers.map(({ helper }) => helper.pid))) process.kill(pid, 'SIGKILL');
      await service.again();
    }, STARTS);

    after(async () => {
      for (const work of cleaning.toReversed()) await work();
    });

    test('nobody can tell how a command ended: its call shows what it had printed, and does not run again', async () => {
      const { body } = await service.post(turn.id, CALLS);
      assert.equal(outcomes(body)[1], 'running outcome_unknown');
      assert.match(resultsOf(body)[1] ?? '', /may or may not have taken effect.*\nWhat it printed until then:\none/s);
      assert.equal((await textAt(turn.workspace, 'effects')).split('running').length, 2);
    });

    test('such a call can be run again', async () => {
      await writeFile(join(turn.workspace, 'go'), '');
      const path = `/v1/sessions/${turn.id}/turns/${await turnIn(service, turn)}/calls/running/resolve`;
      const { body } = await service.request('POST', path, { as: 'retry' });
      assert.deepEqual([body['outcome'], body['content']], ['ok', 'one\ntwo']);
    });

    test('a task has failed, and its output says why', async () => {
      await service.request('GET', `/v1/sessions/${task.id}/tasks`);
      const [ended] = await endedTasks(service, task, 1);
      assert.equal(ended?.['status'], 'failed');
      assert.match(await textAt(task.outputs, `${ended?.['id']}-0.txt`), /^one\n.*nobody can tell how it ended/s);
    });

    test('nothing is left of either', async () => {
      await until(async () => helpers.every(({ directory }) => !existsSync(directory)), 'the directories are gone');
    });
  });
}
