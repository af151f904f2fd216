import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ground, judged, verdict } from '../../test/permissions/decide.ts';
import { toolSuite } from '../../test/suites/tool.ts';
import { toolHarness } from '../../test/support/tool-harness.ts';
import type { PermissionContext, PermissionMode, SessionState } from '../../src/contract/index.ts';
import ExitPlanMode from './index.ts';

const plan = '# Plan\n1. Build.';
const state: SessionState = { cwd: '/w', mode: 'plan', todos: [], loadedTools: [] };

function reasonIn(more: Partial<SessionState>, facts: Partial<PermissionContext> = {}): string {
  const context: PermissionContext = { sessionId: 'ses_1', workspace: '/w', env: {}, ...facts, state: { ...state, ...more } };
  const permission = ExitPlanMode.checkPermissions({ plan }, context);
  return 'reason' in permission ? `${permission.behavior}: ${permission.reason}` : 'behavior' in permission ? permission.behavior : '';
}

describe('ExitPlanMode', () => {
  test('goes back to the mode before, gives the plan back, and forgets the mode', async (t) => {
    const harness = await toolHarness(t);
    harness.state = { ...harness.state, mode: 'plan', modeBefore: 'acceptEdits' };
    const { text } = await harness.call(ExitPlanMode, { plan });
    assert.match(text, /approved.*mode acceptEdits/);
    assert.ok(text.endsWith(`\n\n${plan}`));
    assert.deepEqual([harness.state.mode, harness.state.modeBefore], ['acceptEdits', undefined]);
  });

  test('of a session that began in plan mode goes on in the mode that asks', async (t) => {
    for (const modeBefore of [undefined, 'plan'] as const) {
      const harness = await toolHarness(t);
      harness.state = { ...harness.state, mode: 'plan', modeBefore };
      await harness.call(ExitPlanMode, { plan });
      assert.equal(harness.state.mode, 'default');
    }
  });

  test('outside of plan mode is an error that nobody is asked about', async (t) => {
    const harness = await toolHarness(t);
    const { text, result } = await harness.call(ExitPlanMode, { plan });
    assert.equal(result.isError, true);
    assert.match(text, /not in plan mode/);
    assert.equal(reasonIn({ mode: 'default' }), 'allow');
  });

  test('tells people what they allow by their yes', () => {
    assert.match(reasonIn({}), /^ask: .*goes on in mode default, in which changes are asked for/);
    assert.match(reasonIn({ modeBefore: 'bypassPermissions' }), /mode bypassPermissions, in which nearly everything runs/);
  });

  test('never leads into a mode that the operator does not allow', () => {
    const facts = { allowedModes: ['plan', 'acceptEdits'] } as const;
    assert.match(reasonIn({}, facts), /^deny: .*mode default, which the operator does not allow/);
    assert.match(reasonIn({ modeBefore: 'acceptEdits' }, facts), /^ask: /);
  });

  test('gives a plan of the greatest length back whole', async (t) => {
    const harness = await toolHarness(t);
    harness.state = { ...harness.state, mode: 'plan' };
    const { text } = await harness.call(ExitPlanMode, { plan: 'x'.repeat(50_000) });
    assert.ok(text.length <= ExitPlanMode.maxResultChars);
  });

  test('shows the plan in every view, and why it was not approved', () => {
    const body = { kind: 'markdown', text: plan };
    assert.deepEqual(ExitPlanMode.renderUse({ plan }), { title: 'Plan', body });
    assert.deepEqual(ExitPlanMode.renderResult({ plan }, { content: '' }), { title: 'Plan approved', body });
    assert.deepEqual(ExitPlanMode.renderRejected({ plan }, 'Too long.'), { title: 'Plan not approved', subtitle: 'Too long.', body });
  });
});

describe('leaving plan mode is asked for', () => {
  const modes = (mode: PermissionMode) => ({ mode });

  test('whatever rules or hooks allow, of the session or the operator', async () => {
    const where = await ground();
    const call = [{ ...ExitPlanMode, inputSchema: { parse: () => ({ plan }) } } as never, ''] as const;
    const rules = { allow: ['ExitPlanMode', '*'] };
    assert.equal(await verdict(where, call, { ...modes('plan'), rules, operator: rules, hook: { behavior: 'allow' } }), 'ask tool');
    const { suggestions = [] } = await judged(where, call, modes('plan'));
    assert.deepEqual(suggestions, [], 'no rule is suggested that would not hold');
  });

  test('unless it is denied', async () => {
    const where = await ground();
    const call = [{ ...ExitPlanMode, inputSchema: { parse: () => ({ plan }) } } as never, ''] as const;
    assert.equal(await verdict(where, call, { ...modes('plan'), rules: { deny: ['ExitPlanMode'] } }), 'deny rule');
  });
});

toolSuite({
  tool: ExitPlanMode,
  input: { plan },
  furnish: async (harness) => {
    harness.state = { ...harness.state, mode: 'plan' };
  },
});
