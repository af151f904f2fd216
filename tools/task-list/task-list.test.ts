import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toolSuite } from '../../test/suites/tool.ts';
import { toolHarness } from '../../test/support/tool-harness.ts';
import TaskList from './index.ts';

test('TaskList shows each task in one line, with what still blocks it', async (t) => {
  const harness = await toolHarness(t);
  assert.equal((await harness.call(TaskList, {})).text, 'The task list is empty.');
  harness.state = {
    ...harness.state,
    taskList: [
      { id: '1', subject: 'Plan\nit', description: 'x', status: 'completed', blocks: ['2'], blockedBy: [] },
      { id: '2', subject: 'Build', description: 'x', status: 'in_progress', owner: 'mason', blocks: ['5'], blockedBy: ['1'] },
      { id: '5', subject: 'Paint', description: 'x', status: 'pending', blocks: [], blockedBy: ['2'] },
    ],
  };
  const { text, result } = await harness.call(TaskList, {});
  const lines = ['#1 [completed] Plan it', '#2 [in_progress] Build (owner mason)', '#5 [pending] Paint (blocked by #2)'];
  assert.equal(text, lines.join('\n'));
  const view = TaskList.renderResult({}, result as never);
  assert.deepEqual(view, { title: 'Task list', subtitle: '1 of 3 done', body: { kind: 'list', items: lines } });
});

toolSuite({ tool: TaskList, input: {} });
