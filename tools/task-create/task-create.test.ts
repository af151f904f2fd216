import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toolSuite } from '../../test/suites/tool.ts';
import { toolHarness } from '../../test/support/tool-harness.ts';
import TaskCreate from './index.ts';

const input = { subject: 'Write tests', description: 'All of them.' };

describe('TaskCreate', () => {
  test('adds a pending task, and tells its id', async (t) => {
    const harness = await toolHarness(t);
    const { text } = await harness.call(TaskCreate, { ...input, activeForm: 'Writing tests', metadata: { a: [1] } });
    assert.equal(text, 'Created task #1 [pending] Write tests');
    assert.deepEqual(harness.state.taskList, [
      { id: '1', ...input, activeForm: 'Writing tests', status: 'pending', blocks: [], blockedBy: [], metadata: { a: [1] } },
    ]);
  });

  test('twice on the same state adds two tasks with ids of their own', async (t) => {
    const harness = await toolHarness(t);
    const before = harness.state;
    const first = await harness.call(TaskCreate, input);
    harness.state = before;
    const second = await harness.call(TaskCreate, { ...input, subject: 'Run tests' });
    const both = [first, second].reduce((state, { result }) => result.contextModifier?.(state) ?? state, before);
    assert.deepEqual(
      both.taskList?.map(({ id, subject }) => `${id} ${subject}`),
      ['1 Write tests', '2 Run tests'],
    );
  });

  test('never uses an id again, also when the task with the highest is gone', async (t) => {
    const harness = await toolHarness(t);
    await harness.call(TaskCreate, input);
    await harness.call(TaskCreate, input);
    harness.state = { ...harness.state, taskList: [] };
    assert.match((await harness.call(TaskCreate, input)).text, /#3/);
  });

  test('takes no more than 500 tasks, and no list that is too long as a whole', async (t) => {
    const harness = await toolHarness(t);
    const task = { id: '1', ...input, status: 'pending', blocks: [], blockedBy: [] } as const;
    harness.state = { ...harness.state, taskList: Array.from({ length: 500 }, (_, index) => ({ ...task, id: String(index + 1) })) };
    await assert.rejects(async () => harness.call(TaskCreate, input), /holds 500 tasks.*delete some/);
    harness.state = { ...harness.state, taskList: Array.from({ length: 200 }, () => ({ ...task, description: 'x'.repeat(5_000) })) };
    await assert.rejects(async () => harness.call(TaskCreate, input), /too long together/);
  });

  test('refuses metadata that is too long', async () => {
    const verdict = await TaskCreate.validateInput?.({ ...input, metadata: { text: 'x'.repeat(5_000) } });
    assert.ok(verdict?.ok === false && verdict.message.includes('5000 characters'));
    assert.deepEqual(await TaskCreate.validateInput?.({ ...input, metadata: { text: 'x' } }), { ok: true });
  });
});

toolSuite({ tool: TaskCreate, input });
