// What a message would do, told without doing any of it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { buildTool, type Policy, type Tool } from '../../src/contract/index.ts';
import { planTurn } from '../../src/engine/plan-turn.ts';
import { createCatalog } from '../../src/toolbox/catalog.ts';
import { allowAll, engineOptions, use } from '../support/run-engine.ts';

const ran: string[] = [];

function tool(name: string, more: Partial<Tool> = {}): Tool {
  return {
    ...(buildTool({
      name,
      description: () => 'Does something.',
      inputSchema: z.strictObject({ n: z.number().optional() }),
      call: () => {
        ran.push(name);
        return { content: 'done' };
      },
    }) as Tool),
    ...more,
  };
}

const fail = (): never => {
  throw new Error('It cannot tell.');
};
const reads = tool('Reads', { isConcurrencySafe: () => true, isReadOnly: () => true, effect: () => 'read' });
const changes = tool('Changes', { isDestructive: () => true, effect: () => 'once' });
const unsure = tool('Unsure', { isDestructive: fail, isConcurrencySafe: fail, isReadOnly: fail, effect: fail });
const picky = tool('Picky', { validateInput: () => ({ ok: false, message: 'n must be another one.' }) });
const catalog = createCatalog([reads, changes, unsure, picky]);
const { facts, state } = engineOptions([]);

function plan(uses: Parameters<typeof planTurn>[0], policy: Policy = allowAll) {
  return planTurn(uses, { schedule: 'partition', catalog, policy }, { ...facts, state });
}

describe('the plan of a message', () => {
  test('says of each call what it is and whether it may run, and runs none', async () => {
    const { calls } = await plan([use('a', 'Reads', { n: '5' }), use('b', 'Changes')]);
    assert.deepEqual(calls, [
      {
        tool_use_id: 'a',
        name: 'Reads',
        input: { n: 5 },
        coerced: ['n'],
        valid: true,
        concurrency_safe: true,
        read_only: true,
        destructive: false,
        effect: 'read',
        permission: { behavior: 'allow', decided_by: 'test' },
      },
      {
        tool_use_id: 'b',
        name: 'Changes',
        input: {},
        coerced: [],
        valid: true,
        concurrency_safe: false,
        read_only: false,
        destructive: true,
        effect: 'once',
        permission: { behavior: 'allow', decided_by: 'test' },
      },
    ]);
    assert.deepEqual(ran, []);
  });

  test('puts calls into the batches that they would run in', async () => {
    const { batches } = await plan([use('a', 'Reads'), use('b', 'Reads'), use('c', 'Changes'), use('d', 'Reads')]);
    assert.deepEqual(batches, [
      { concurrent: true, tool_use_ids: ['a', 'b'] },
      { concurrent: false, tool_use_ids: ['c'] },
      { concurrent: true, tool_use_ids: ['d'] },
    ]);
  });

  test('says what is wrong with a call that would not run', async () => {
    const { calls } = await plan([use('a', 'Gone', { x: 1 }), use('b', 'Reads', { m: 1 }), use('c', 'Picky', { n: 1 })]);
    assert.deepEqual(
      calls.map(({ name, valid, input, permission }) => [name, valid, input, permission.behavior, permission.decided_by]),
      [
        ['Gone', false, { x: 1 }, 'deny', 'input'],
        ['Reads', false, { m: 1 }, 'deny', 'input'],
        ['Picky', false, { n: 1 }, 'deny', 'input'],
      ],
    );
    assert.deepEqual(
      calls.map(({ read_only, destructive, effect, coerced }) => [read_only, destructive, effect, coerced]),
      [
        [false, false, 'once', []],
        [false, false, 'once', []],
        [false, false, 'once', []],
      ],
    );
    assert.match(calls[0]?.error ?? '', /No tool named "Gone"/);
    assert.match(calls[1]?.error ?? '', /unexpected parameter `m`/);
    assert.equal(calls[2]?.error, 'n must be another one.');
  });

  test('shows what a tool cannot tell as the worse of the two', async () => {
    const [call] = (await plan([use('a', 'Unsure')])).calls;
    assert.deepEqual([call?.concurrency_safe, call?.read_only, call?.destructive, call?.effect], [false, false, true, 'once']);
  });

  test('tells which rule decides and why, and that a policy which fails says no', async () => {
    const question: Policy = {
      decide: () => ({ behavior: 'ask', decided_by: 'rule', rule: 'Reads', reason: 'Look.', suggestions: ['Reads'] }),
    };
    const [asked] = (await plan([use('a', 'Reads')], question)).calls;
    assert.deepEqual(asked?.permission, { behavior: 'ask', decided_by: 'rule', rule: 'Reads', reason: 'Look.' });
    const [failed] = (await plan([use('a', 'Reads')], { decide: fail })).calls;
    assert.deepEqual(failed?.permission, {
      behavior: 'deny',
      decided_by: 'policy',
      reason: 'The permission check failed: It cannot tell.',
    });
  });
});
