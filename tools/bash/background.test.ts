import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { CommandRequest, CommandRunner, TaskSummary } from '../../src/contract/index.ts';
import { SessionTasks } from '../../src/sessions/tasks/background-tasks.ts';
import { groupExists, groupGone } from '../../test/shell/process-group.ts';
import { toolSuite } from '../../test/suites/tool.ts';
import { toolHarness, type ToolCallOptions } from '../../test/support/tool-harness.ts';
import bash from './index.ts';
import type { BashOutput } from './result.ts';

const NEVER = new AbortController().signal;

async function backgroundHarness(t: TestContext, limit = 16) {
  const harness = await toolHarness(t);
  const ended: TaskSummary[] = [];
  const tasks = new SessionTasks({
    limit,
    outputFileFor: (id) => join(harness.outputs, `${id}.txt`),
    onEnded: (task) => void ended.push(task),
  });
  t.after(() => tasks.close());
  const file = (name: string): string => join(harness.workspace, name);
  return {
    ...harness,
    harness,
    tasks,
    file,
    run: (input: Parameters<typeof bash.renderUse>[0], options: ToolCallOptions = {}) =>
      harness.call(bash, input, { ...options, services: { tasks } }),
    /** Resolves when the file is there and not empty. @returns what is in it */
    appears: async (name: string): Promise<string> => {
      for (;;) {
        const text = existsSync(file(name)) ? await readFile(file(name), 'utf8') : '';
        if (text !== '') return text.trim();
        await setTimeout(10);
      }
    },
    onlyTask: (): TaskSummary => tasks.list()[0] ?? assert.fail('no task runs'),
  };
}

describe('Bash in the background', () => {
  test('answers at once with the id of a task and the file of its output, and the command goes on', async (t) => {
    const { run, tasks, file, onlyTask } = await backgroundHarness(t);
    const { text, result } = await run({
      command: 'echo begun; while [ ! -e go ]; do sleep 0.02; done; echo done',
      description: 'Wait for it',
      run_in_background: true,
    });
    const { id, status, command, description } = onlyTask();
    assert.deepEqual([status, description], ['running', 'Wait for it']);
    assert.match(command ?? '', /^echo begun/);
    assert.equal(result.isError, false);
    for (const part of [id, tasks.outputFile(id), 'TaskOutput', 'TaskStop']) assert.ok(text.includes(part), part);
    assert.deepEqual(result.output, { taskId: id, outputFile: tasks.outputFile(id) });
    await writeFile(file('go'), '');
    const end = await tasks.ended(id, NEVER);
    assert.deepEqual([end.status, end.exit_code, end.output_bytes], ['completed', 0, 11]);
    assert.equal(await readFile(tasks.outputFile(id), 'utf8'), 'begun\ndone\n');
  });

  test('tells how the command ended: by an exit code, a signal, or because it was stopped', async (t) => {
    const { run, tasks, appears } = await backgroundHarness(t);
    const idOf = async (command: string): Promise<string> => {
      const { output } = (await run({ command, run_in_background: true })).result;
      return (output as BashOutput & { taskId: string }).taskId;
    };
    const failed = await tasks.ended(await idOf('exit 7'), NEVER);
    assert.deepEqual([failed.status, failed.exit_code], ['failed', 7]);
    const answered = await tasks.ended(await idOf('grep nothing /dev/null'), NEVER);
    assert.deepEqual([answered.status, answered.exit_code], ['completed', 1]);
    const killed = await tasks.ended(await idOf('echo so far; kill -SEGV $$'), NEVER);
    assert.deepEqual([killed.status, killed.exit_code], ['failed', undefined]);
    assert.equal(await readFile(tasks.outputFile(killed.id), 'utf8'), 'so far\n\nKilled by signal SIGSEGV\n');
    const server = await idOf('sleep 1000 & echo $$ > pid; wait');
    const pid = Number(await appears('pid'));
    assert.equal((await tasks.stop(server)).status, 'stopped');
    await groupGone(pid);
  });

  test('has the same environment and yes as in the foreground, no time limit, and leaves the directory as it is', async (t) => {
    const { run, harness, tasks, onlyTask } = await backgroundHarness(t);
    await mkdir(join(harness.workspace, 'src'));
    const asked: CommandRequest[] = [];
    const commands: CommandRunner = {
      exec: () => assert.fail('not a command'),
      reattach: () => assert.fail('nothing was left'),
      forget: () => Promise.resolve(),
      async run(request) {
        asked.push(request);
        return { exitCode: 0, signal: null, stopped: null, outputBytes: 0, cwd: '/usr' };
      },
    };
    const input = { command: 'cd src && make' };
    const options = { commands, env: { MODE: 'test' }, decision: { behavior: 'allow', decided_by: 'approval' } } as const;
    await run({ ...input, run_in_background: true }, options);
    await tasks.ended(onlyTask().id, NEVER);
    assert.equal(harness.state.cwd, harness.workspace);
    await writeFile(join(harness.outputs, 'call-2.txt'), '');
    await run(input, options);
    const [background, foreground] = asked.map(({ outputFile: _file, signal: _signal, onOutput: _output, ...request }) => {
      const { untimed, background: unattended, ...same } = request;
      return { same, limits: { limited: untimed?.aborted !== true, unattended } };
    });
    assert.deepEqual(background?.same, foreground?.same);
    assert.deepEqual(background?.limits, { limited: false, unattended: true });
    assert.deepEqual(foreground?.limits, { limited: true, unattended: undefined });
  });

  test('is refused with a sentence when as many tasks run as may', async (t) => {
    const { run, tasks } = await backgroundHarness(t, 1);
    await run({ command: 'sleep 1000', run_in_background: true });
    await assert.rejects(run({ command: 'touch ran', run_in_background: true }), /1 tasks run in the background/);
    assert.equal(tasks.running, 1);
  });

  test('may run beside others when the line only reads, whatever directory it goes to', () => {
    const safe = (command: string, background: boolean) => bash.isConcurrencySafe({ command, run_in_background: background });
    assert.ok(safe('ls', true) && safe('cd src && ls', true) && !safe('cd src && ls', false));
    assert.ok(!safe('npm run dev', true));
    assert.ok(!bash.isReadOnly({ command: 'npm run dev', run_in_background: true }));
  });
});

describe('a command that is moved to the background', () => {
  const LINE = 'echo $$ > pid; echo before; while [ ! -e go ]; do sleep 0.02; done; echo after';

  test('goes on as the same process with the same output, and its call is answered at once', async (t) => {
    const { run, tasks, file, appears, onlyTask } = await backgroundHarness(t);
    const wanted = new AbortController();
    const running = run({ command: LINE, timeout: 1_500 }, { backgroundRequest: () => wanted.signal });
    const pid = Number(await appears('pid'));
    wanted.abort();
    const { text, result } = await running;
    const { id, status, command } = onlyTask();
    assert.deepEqual([status, command, result.isError], ['running', LINE, false]);
    assert.match(text, new RegExp(`^The command goes on in the background as ${id}`));
    assert.ok(groupExists(pid));
    // Longer than the time that it had.
    await run({ command: 'sleep 1000', timeout: 1_600 });
    await writeFile(file('go'), '');
    assert.equal((await tasks.ended(id, NEVER)).status, 'completed');
    assert.equal(await readFile(tasks.outputFile(id), 'utf8'), 'before\nafter\n');
    assert.equal(Number(await appears('pid')), pid);
  });

  test('is no longer ended by what stops its call, but by what stops the task', async (t) => {
    const { run, tasks, appears, onlyTask } = await backgroundHarness(t);
    const [wanted, call] = [new AbortController(), new AbortController()];
    const running = run({ command: LINE }, { backgroundRequest: () => wanted.signal, signal: call.signal });
    const pid = Number(await appears('pid'));
    wanted.abort();
    call.abort();
    assert.equal((await running).result.isError, false);
    await run({ command: 'true' });
    assert.ok(groupExists(pid));
    assert.equal((await tasks.stop(onlyTask().id)).status, 'stopped');
    await groupGone(pid);
  });

  test('is killed by an abort that comes before', async (t) => {
    const { run, tasks, appears } = await backgroundHarness(t);
    const [wanted, call] = [new AbortController(), new AbortController()];
    const running = run({ command: LINE }, { backgroundRequest: () => wanted.signal, signal: call.signal });
    const pid = Number(await appears('pid'));
    call.abort();
    wanted.abort();
    assert.match((await running).text, /^Aborted/);
    await groupGone(pid);
    assert.deepEqual(tasks.list(), []);
  });

  test('is a task from its beginning when that was wanted before it ran', async (t) => {
    const { run, tasks, onlyTask } = await backgroundHarness(t);
    await run({ command: 'echo done' }, { backgroundRequest: () => AbortSignal.abort() });
    const { id } = onlyTask();
    assert.equal((await tasks.ended(id, NEVER)).status, 'completed');
    assert.equal((await tasks.read(id, 0, 100)).text, 'done\n');
  });

  test('stays in the foreground, with its time limit and a note, when no task can begin', async (t) => {
    const { run, appears } = await backgroundHarness(t, 0);
    const wanted = new AbortController();
    const running = run({ command: LINE, timeout: 1_000 }, { backgroundRequest: () => wanted.signal });
    await appears('pid');
    wanted.abort();
    const { text, result } = await running;
    assert.equal(result.timedOut, true);
    assert.match(text, /\nbefore\n\[It was asked to go on in the background, and could not: 0 tasks run/);
  });

  test('is drawn as what goes on', () => {
    const result = { content: 'The command goes on …', output: { taskId: 'task_1', outputFile: '/x' } };
    assert.equal(bash.renderResult({ command: 'ls' }, result).subtitle, 'in the background');
  });
});

toolSuite({
  tool: bash,
  input: { command: 'echo done' },
  endless: { input: { command: 'sleep 1000' } },
});
