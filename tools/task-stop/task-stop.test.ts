import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import type { TaskEnd } from '../../src/contract/index.ts';
import { SessionTasks } from '../../src/sessions/tasks/background-tasks.ts';
import { toolSuite } from '../../test/suites/tool.ts';
import { toolHarness } from '../../test/support/tool-harness.ts';
import TaskStop from './index.ts';

async function withTasks(t: TestContext) {
  const harness = await toolHarness(t);
  const tasks = new SessionTasks({ outputFileFor: (id) => join(harness.outputs, `${id}.txt`), onEnded: () => {}, stopMs: 200 });
  t.after(() => tasks.close());
  return {
    tasks,
    stop: (id: string, signal?: AbortSignal) => harness.call(TaskStop, { task_id: id }, { services: { tasks }, ...(signal && { signal }) }),
  };
}

const obedient = ({ signal }: { signal: AbortSignal }): Promise<TaskEnd> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve({ status: 'stopped' })));

describe('TaskStop', () => {
  test('stops a task, and does no harm when it has ended', async (t) => {
    const { tasks, stop } = await withTasks(t);
    const { id } = tasks.start({ kind: 'command', run: obedient });
    assert.equal((await stop(id)).text, `Task ${id} was stopped.`);
    assert.equal(tasks.get(id)?.status, 'stopped');
    assert.equal((await stop(id)).text, `Task ${id} had ended before: stopped.`);
    const done = tasks.start({ kind: 'command', run: async () => ({ status: 'completed', exitCode: 0 }) });
    await tasks.ended(done.id, new AbortController().signal);
    assert.equal((await stop(done.id)).text, `Task ${done.id} had ended before: completed, exit code 0.`);
  });

  test('that is aborted waits no longer, and the task ends all the same', async (t) => {
    const { tasks, stop } = await withTasks(t);
    const { id } = tasks.start({ kind: 'agent', run: () => new Promise(() => {}) });
    assert.equal((await stop(id, AbortSignal.abort())).text, `Task ${id} has been told to stop.`);
    assert.equal((await tasks.ended(id, new AbortController().signal)).status, 'stopped');
  });

  test('of no such task names those there are', async (t) => {
    const { tasks, stop } = await withTasks(t);
    const { id } = tasks.start({ kind: 'command', run: obedient });
    await assert.rejects(stop('shell_1'), { message: `The session has no task "shell_1". There are: ${id}.` });
  });

  test('does not pass for reading', () => {
    const input = { task_id: 'task_1' };
    assert.ok(!TaskStop.isReadOnly(input) && TaskStop.effect(input) === 'idempotent');
  });
});

const tasks = new SessionTasks({ outputFileFor: (id) => join(tmpdir(), `${id}-that-is-not-there`), onEnded: () => {}, stopMs: 2_000 });
const ended = tasks.start({ kind: 'agent', run: async () => ({ status: 'completed' }) });
const deaf = tasks.start({ kind: 'agent', run: () => new Promise(() => {}) });

toolSuite({
  tool: TaskStop,
  input: { task_id: ended.id },
  ports: () => ({ services: { tasks } }),
  endless: { input: { task_id: deaf.id } },
});
