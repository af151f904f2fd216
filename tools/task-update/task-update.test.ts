import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { TaskItem } from '../../src/contract/index.ts';
import { toolSuite } from '../../test/suites/tool.ts';
import { toolHarness } from '../../test/support/tool-harness.ts';
import TaskUpdate from './index.ts';
import type { TaskChange } from './update-task.ts';

function task(id: string, more: Partial<TaskItem> = {}): TaskItem {
  return { id, subject: `Task ${id}`, description: '', status: 'pending', blocks: [], blockedBy: [], ...more };
}

/** A session with these tasks. */
async function list(t: TestContext, ...tasks: TaskItem[]) {
  const harness = await toolHarness(t);
  harness.state = { ...harness.state, taskList: tasks, taskListLast: tasks.length };
  const links = (): string[] =>
    (harness.state.taskList ?? []).map(({ id, blocks, blockedBy }) => `${blockedBy.join()}>${id}>${blocks.join()}`);
  const change = async (input: TaskChange): Promise<string> => (await harness.call(TaskUpdate, input as never)).text;
  return { harness, change, links, find: (id: string) => harness.state.taskList?.find((each) => each.id === id) };
}

describe('TaskUpdate', () => {
  test('changes what is given, and nothing else', async (t) => {
    const { change, find } = await list(t, task('1', { metadata: { a: 1, b: 2 } }), task('2'));
    const said = await change({ taskId: '1', status: 'in_progress', owner: 'mason', subject: 'Build', metadata: { a: null, c: 3 } });
    assert.equal(said, 'Updated task #1 [in_progress] Build (owner mason)');
    const expected = task('1', { status: 'in_progress', owner: 'mason', subject: 'Build', metadata: { b: 2, c: 3 } });
    assert.deepEqual(find('1'), expected);
    await change({ taskId: '1', description: 'Bricks', activeForm: 'Building', owner: '', metadata: { b: null, c: null } });
    const { owner: _owner, metadata: _metadata, ...rest } = expected;
    assert.deepEqual(find('1'), { ...rest, description: 'Bricks', activeForm: 'Building' });
    assert.deepEqual(find('2'), task('2'));
  });

  test('links tasks on both sides, once, and tells what a completed task has freed', async (t) => {
    const { change, links } = await list(t, task('1'), task('2'), task('3'));
    await change({ taskId: '1', addBlocks: ['3', '3'] });
    await change({ taskId: '3', addBlockedBy: ['1', '2'] });
    assert.deepEqual(links(), ['>1>3', '>2>3', '1,2>3>']);
    assert.doesNotMatch(await change({ taskId: '1', status: 'completed' }), /Nothing blocks/);
    assert.match(await change({ taskId: '2', status: 'completed' }), /Nothing blocks these any more: #3\./);
  });

  test('refuses rings of tasks that wait for each other, of any length, and changes nothing then', async (t) => {
    const { change, links, find } = await list(t, task('1'), task('2'), task('3'));
    await change({ taskId: '1', addBlocks: ['2'] });
    await change({ taskId: '2', addBlocks: ['3'] });
    const before = links();
    for (const ring of [
      { taskId: '3', addBlocks: ['1'] },
      { taskId: '1', addBlockedBy: ['3'] },
      { taskId: '2', addBlocks: ['2'] },
    ]) {
      await assert.rejects(change({ ...ring, subject: 'other' }), /wait for itself/);
    }
    assert.deepEqual(links(), before);
    assert.equal(find('3')?.subject, 'Task 3');
  });

  test('deletes a task, also from what others wait for', async (t) => {
    const { change, links } = await list(
      t,
      task('1', { blocks: ['2'] }),
      task('2', { blockedBy: ['1'], blocks: ['3'] }),
      task('3', { blockedBy: ['2'] }),
    );
    assert.equal(await change({ taskId: '2', status: 'deleted' }), 'Deleted task #2.\nNothing blocks these any more: #3.');
    assert.deepEqual(links(), ['>1>', '>3>']);
    await assert.rejects(change({ taskId: '2', status: 'pending' }), /There is no task 2/);
    await assert.rejects(change({ taskId: '1', addBlocks: ['2'] }), /There is no task 2/);
  });

  test('twice on the same state holds twice', async (t) => {
    const { harness } = await list(t, task('1'), task('2'));
    const before = harness.state;
    const first = await harness.call(TaskUpdate, { taskId: '1', status: 'completed' });
    harness.state = before;
    const second = await harness.call(TaskUpdate, { taskId: '2', addBlockedBy: ['1'] });
    const both = [first, second].reduce((state, { result }) => result.contextModifier?.(state) ?? state, before);
    assert.deepEqual(both.taskList, [task('1', { status: 'completed', blocks: ['2'] }), task('2', { blockedBy: ['1'] })]);
  });

  test('keeps metadata short, however often it is added to', async (t) => {
    const { change } = await list(t, task('1'));
    await change({ taskId: '1', metadata: { a: 'x'.repeat(3_000) } });
    await assert.rejects(change({ taskId: '1', metadata: { b: 'x'.repeat(3_000) } }), /metadata is longer/);
  });
});

toolSuite({
  tool: TaskUpdate,
  input: { taskId: '1', status: 'completed', addBlocks: ['2'] },
  furnish: async (harness) => {
    harness.state = { ...harness.state, taskList: [task('1'), task('2')] };
  },
});
