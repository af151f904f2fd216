import assert from 'node:assert/strict';
import { appendFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import type { TaskEnd } from '../../src/contract/index.ts';
import { SessionTasks } from '../../src/sessions/tasks/background-tasks.ts';
import { toolSuite } from '../../test/suites/tool.ts';
import { toolHarness } from '../../test/support/tool-harness.ts';
import TaskOutput from './index.ts';

async function withTask(t: TestContext) {
  const harness = await toolHarness(t);
  const tasks = new SessionTasks({ outputFileFor: (id) => join(harness.outputs, `${id}.txt`), onEnded: () => {} });
  t.after(() => tasks.close());
  const { promise, resolve } = Promise.withResolvers<TaskEnd>();
  const { id } = tasks.start({
    kind: 'command',
    run: ({ signal }) => {
      signal.addEventListener('abort', () => resolve({ status: 'stopped' }));
      return promise;
    },
  });
  const path = tasks.outputFile(id);
  await writeFile(path, '');
  return {
    id,
    path,
    tasks,
    end: resolve,
    print: (text: string) => appendFile(path, text),
    look: (input: { task_id?: string; block?: boolean; timeout?: number } = {}, signal?: AbortSignal) =>
      harness.call(
        TaskOutput,
        { task_id: id, block: false, timeout: 30_000, ...input },
        { services: { tasks }, ...(signal && { signal }) },
      ),
  };
}

describe('TaskOutput', () => {
  test('shows how the task stands, and what is new since the last look', async (t) => {
    const { id, end, print, look } = await withTask(t);
    assert.equal((await look()).text, `Task ${id}: running\n(no output)`);
    await print('one\ntwo\n');
    assert.equal((await look()).text, `Task ${id}: running\none\ntwo`);
    assert.equal((await look()).text, `Task ${id}: running\n(nothing new)`);
    await print('\u001b[31mthree\u001b[0m\0\n');
    end({ status: 'failed', exitCode: 2 });
    const { text, result } = await look({ block: true });
    assert.equal(text, `Task ${id}: failed, exit code 2\nthree`);
    assert.ok(result.isError !== true);
  });

  test('waits until the task has ended', async (t) => {
    const { id, end, print, look } = await withTask(t);
    const looked = look({ block: true, timeout: 600_000 });
    await print('last words\n');
    end({ status: 'completed', exitCode: 0 });
    assert.equal((await looked).text, `Task ${id}: completed, exit code 0\nlast words`);
  });

  test('waits no longer than it may, and the task goes on', async (t) => {
    const { id, look, tasks } = await withTask(t);
    assert.match((await look({ block: true, timeout: 30 })).text, /: running\n/);
    assert.equal(tasks.get(id)?.status, 'running');
  });

  test('obeys an abort at once, and what it did not show stays new', async (t) => {
    const { print, look } = await withTask(t);
    await print('news');
    const stop = new AbortController();
    const looked = look({ block: true, timeout: 600_000 }, stop.signal);
    stop.abort();
    assert.equal((await looked).result.isError, true);
    assert.match((await look()).text, /\nnews$/);
  });

  test('shows the newest 30,000 characters, how many bytes were passed over, and where the whole lies', async (t) => {
    const { path, print, look } = await withTask(t);
    await print('shown before\n');
    await look();
    await print(`${'é'.repeat(40_000)}\nthe end\n`);
    const { text } = await look();
    const [, passed] = /^\[\.\.\. (\d+) bytes were passed over/m.exec(text) ?? assert.fail(text);
    assert.ok(text.includes(path) && text.endsWith('é\nthe end') && text.length < 30_500);
    const shown = text.slice(text.indexOf(' ...]\n') + ' ...]\n'.length);
    assert.equal(Number(passed) + Buffer.byteLength(`${shown}\n`), 80_009);
    assert.match((await look()).text, /nothing new/);
  });

  test('of no such task names those there are', async (t) => {
    const { id, look } = await withTask(t);
    await assert.rejects(look({ task_id: 'bash_1' }), { message: `The session has no task "bash_1". There are: ${id}.` });
    await assert.rejects(look({ task_id: 'bash_1', block: true }), /There are/);
  });

  test('changes nothing and touches nothing outside of the session', () => {
    const input = { task_id: 'task_1', block: true, timeout: 1 };
    assert.ok(TaskOutput.isReadOnly(input) && TaskOutput.isConcurrencySafe(input) && TaskOutput.effect(input) === 'read');
    const context = { sessionId: 's', workspace: '/w', env: {}, state: { cwd: '/w', mode: 'plan', todos: [], loadedTools: [] } } as const;
    assert.deepEqual(TaskOutput.permissionSubjects(input, context), []);
  });
});

const tasks = new SessionTasks({ outputFileFor: (id) => join(tmpdir(), `${id}-that-is-not-there`), onEnded: () => {} });
const ended = tasks.start({ kind: 'agent', run: async () => ({ status: 'completed' }) });
const running = tasks.start({ kind: 'agent', run: () => new Promise(() => {}) });

toolSuite({
  tool: TaskOutput,
  input: { task_id: ended.id, block: true, timeout: 30_000 },
  ports: () => ({ services: { tasks } }),
  endless: { input: { task_id: running.id, block: true, timeout: 30_000 } },
});
