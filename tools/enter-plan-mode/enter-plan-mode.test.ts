import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PermissionContext, PermissionMode } from '../../src/contract/index.ts';
import { toolSuite } from '../../test/suites/tool.ts';
import { toolHarness } from '../../test/support/tool-harness.ts';
import EnterPlanMode from './index.ts';

test('EnterPlanMode begins plan mode, remembers the mode before, and says what holds now', async (t) => {
  const harness = await toolHarness(t);
  harness.state = { ...harness.state, mode: 'acceptEdits' };
  const { text } = await harness.call(EnterPlanMode, {});
  assert.match(text, /^Plan mode has begun\. Only calls that read run now.*ExitPlanMode/);
  assert.deepEqual([harness.state.mode, harness.state.modeBefore], ['plan', 'acceptEdits']);
});

test('EnterPlanMode in plan mode says so, and the mode before stays remembered', async (t) => {
  const harness = await toolHarness(t);
  await harness.call(EnterPlanMode, {});
  const before = harness.state;
  const { text, result } = await harness.call(EnterPlanMode, {});
  assert.match(text, /in plan mode already/);
  assert.equal(result.isError, undefined);
  assert.equal(harness.state, before);
});

test('EnterPlanMode twice on the same state remembers the mode before, not plan mode', async (t) => {
  const harness = await toolHarness(t);
  const before = harness.state;
  const { result } = await harness.call(EnterPlanMode, {});
  const after = result.contextModifier?.(result.contextModifier(before));
  assert.deepEqual([after?.mode, after?.modeBefore], ['plan', 'bypassPermissions']);
});

test('EnterPlanMode is denied where the operator does not allow plan mode', () => {
  const decide = (allowedModes?: readonly PermissionMode[]) =>
    EnterPlanMode.checkPermissions({}, { ...({} as PermissionContext), ...(allowedModes && { allowedModes }) });
  assert.match(JSON.stringify(decide(['default', 'acceptEdits'])), /"deny".*does not allow plan mode/);
  assert.deepEqual(
    [decide(['default', 'plan']), decide()],
    [
      { behavior: 'allow', input: {} },
      { behavior: 'allow', input: {} },
    ],
  );
});

test('EnterPlanMode touches nothing that a rule could ask about, and runs alone, so that what follows is planned', () => {
  assert.deepEqual(EnterPlanMode.permissionSubjects({}, {} as never), []);
  assert.equal(EnterPlanMode.isConcurrencySafe({}), false);
});

toolSuite({ tool: EnterPlanMode, input: {} });
