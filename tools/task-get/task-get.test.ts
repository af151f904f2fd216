import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toolSuite } from '../../test/suites/tool.ts';
import { toolHarness } from '../../test/support/tool-harness.ts';
import TaskGet from './index.ts';

const done = { id: '1', subject: 'Plan', description: '', status: 'completed', blocks: ['3'], blockedBy: [] } as const;
const open = { id: '2', subject: 'Draw', description: '', status: 'pending', blocks: ['3'], blockedBy: [] } as const;
const last = {
  id: '3',
  subject: 'Build it',
  description: 'Brick by brick.\nUntil it stands.',
  activeForm: 'Building it',
  status: 'pending',
  owner: 'mason',
  blocks: [],
  blockedBy: ['1', '2'],
  metadata: { floor: 2 },
} as const;

test('TaskGet shows all that is known of a task, and what still blocks it', async (t) => {
  const harness = await toolHarness(t);
  harness.state = { ...harness.state, taskList: [done, open, last] };
  const { text, result } = await harness.call(TaskGet, { taskId: '3' });
  assert.equal(
    text,
    [
      '#3 [pending] Build it (owner mason; blocked by #2)',
      'In progress: Building it',
      'Blocked by: #1 (completed), #2',
      'Metadata: {"floor":2}',
      '',
      'Brick by brick.',
      'Until it stands.',
    ].join('\n'),
  );
  const view = TaskGet.renderResult({ taskId: '3' }, result as never);
  assert.deepEqual([view.title, view.subtitle, view.body], ['Task #3: Build it', 'pending', { kind: 'markdown', text: last.description }]);
  assert.match((await harness.call(TaskGet, { taskId: '1' })).text, /Blocks: #3/);
});

test('TaskGet of a task that is not there says where to look', async (t) => {
  const harness = await toolHarness(t);
  const { text, result } = await harness.call(TaskGet, { taskId: '1' });
  assert.deepEqual([result.isError, text], [true, 'There is no task 1: TaskList shows those that there are.']);
});

toolSuite({
  tool: TaskGet,
  input: { taskId: '3' },
  furnish: async (harness) => {
    harness.state = { ...harness.state, taskList: [done, open, last] };
  },
});
