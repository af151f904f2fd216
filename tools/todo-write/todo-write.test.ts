import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { z } from 'zod';
import { toolSuite } from '../../test/suites/tool.ts';
import { toolHarness } from '../../test/support/tool-harness.ts';
import TodoWrite from './index.ts';

const done = { content: 'Read', status: 'completed', activeForm: 'Reading' } as const;
const doing = { content: 'Write', status: 'in_progress', activeForm: 'Writing' } as const;
const open = { content: 'Test', status: 'pending', activeForm: 'Testing' } as const;

describe('TodoWrite', () => {
  test('replaces the whole list of the session, and says how it stands', async (t) => {
    const harness = await toolHarness(t);
    const { text } = await harness.call(TodoWrite, { todos: [done, doing, open] });
    assert.equal(text, 'The todo list has 3 items: 1 completed, 1 in progress, 1 pending. Go on with the work.');
    assert.deepEqual(harness.state.todos, [done, doing, open]);
    await harness.call(TodoWrite, { todos: [open] });
    assert.deepEqual(harness.state.todos, [open]);
    assert.equal((await harness.call(TodoWrite, { todos: [] })).text, 'The todo list is empty now.');
    assert.deepEqual(harness.state.todos, []);
  });

  test('draws the list with marks, what is in progress by what is being done', () => {
    const view = TodoWrite.renderUse({ todos: [done, doing, open] });
    const expected = { title: 'Todo list', subtitle: '1 of 3 done', body: { kind: 'list', items: ['✔ Read', '▸ Writing', '○ Test'] } };
    assert.deepEqual(view, expected);
    assert.deepEqual(TodoWrite.renderGroup([{ todos: [] }, { todos: [done, doing, open] }]), expected);
  });

  test('takes at most 200 items of 2,000 characters', () => {
    const schema = TodoWrite.inputSchema as z.ZodType;
    const accepts = (todos: readonly object[]): boolean => schema.safeParse({ todos }).success;
    assert.ok(accepts(Array.from({ length: 200 }, () => ({ ...open, content: 'x'.repeat(2_000) }))));
    assert.ok(!accepts(Array.from({ length: 201 }, () => open)));
    assert.ok(!accepts([{ ...open, content: 'x'.repeat(2_001) }]));
    assert.ok(!accepts([{ ...open, status: 'done' }]));
  });

  test('asks nobody and runs alone, since order matters', () => {
    const input = { todos: [open] };
    assert.deepEqual(TodoWrite.permissionSubjects(input, {} as never), []);
    assert.equal(TodoWrite.isConcurrencySafe(input), false);
  });
});

toolSuite({ tool: TodoWrite, input: { todos: [done, doing, open] } });
