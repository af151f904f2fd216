import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { PermissionMode, Schedule } from '../../src/contract/index.ts';
import { testPolicy } from '../../test/permissions/test-policy.ts';
import { toolHarness } from '../../test/support/tool-harness.ts';
import { cronFault } from './cron.ts';
import CronCreate from './index.ts';
import { toolSuite } from '../../test/suites/tool.ts';

/** Half past nine on a Tuesday. */
const NOW = Date.UTC(2030, 0, 1, 9, 30);

async function harnessAt(t: TestContext) {
  const harness = await toolHarness(t);
  t.mock.timers.enable({ apis: ['Date'], now: NOW });
  return harness;
}

describe('CronCreate', () => {
  test('plans a prompt and tells its id and its next time', async (t) => {
    const harness = await harnessAt(t);
    const { text, result } = await harness.call(CronCreate, { cron: '0 9 * * 1-5', prompt: 'Look at the mail.' });
    const [schedule] = harness.state.schedules ?? [];
    assert.match(schedule?.id ?? '', /^cron_[0-9a-f]{12}$/);
    assert.deepEqual(schedule, { id: schedule?.id, cron: '0 9 * * 1-5', prompt: 'Look at the mail.', recurring: true, createdAt: NOW });
    assert.equal(text, `Planned as ${schedule?.id}: every time, next at 2030-01-02T09:00:00.000Z.`);
    assert.deepEqual(result.output, { id: schedule?.id, next: '2030-01-02T09:00:00.000Z' });
  });

  test('plans what happens once, beside what is planned already', async (t) => {
    const harness = await harnessAt(t);
    await harness.call(CronCreate, { cron: '0 9 * * *', prompt: 'One.' });
    const { text } = await harness.call(CronCreate, { cron: '45 9 1 1 *', prompt: 'Two.', recurring: false });
    assert.match(text, /: once, next at 2030-01-01T09:45:00.000Z\.$/);
    assert.deepEqual(
      harness.state.schedules?.map(({ prompt, recurring }) => [prompt, recurring]),
      [
        ['One.', true],
        ['Two.', false],
      ],
    );
  });

  test('plans no more than twenty', async (t) => {
    const harness = await harnessAt(t);
    const schedules = Array.from({ length: 20 }, (_, index): Schedule => ({
      id: `cron_${index}`,
      cron: '0 9 * * *',
      prompt: 'x',
      recurring: true,
      createdAt: NOW,
    }));
    harness.state = { ...harness.state, schedules };
    await assert.rejects(harness.call(CronCreate, { cron: '0 9 * * *', prompt: 'x' }), /20 plans.*CronDelete/);
  });

  test('is asked for where people are asked, unless a rule allows it', async () => {
    const verdict = async (mode: PermissionMode, allow: readonly string[] = []): Promise<string> => {
      const context = { sessionId: 'ses_1', workspace: '/w', env: {}, state: { cwd: '/w', mode, todos: [], loadedTools: [] } };
      const call = { toolUseId: 'toolu_1', tool: CronCreate, input: { cron: '0 9 * * *', prompt: 'x' }, readOnly: false };
      return (await testPolicy({ session: { allow, ask: [], deny: [] } }).decide(call, context)).behavior;
    };
    for (const mode of ['default', 'acceptEdits', 'auto'] as const) assert.equal(await verdict(mode), 'ask', mode);
    for (const mode of ['plan', 'dontAsk'] as const) assert.equal(await verdict(mode), 'deny', mode);
    assert.equal(await verdict('default', ['CronCreate']), 'allow');
  });
});

describe('a time', () => {
  const faultOf = (cron: string): string | null => cronFault(cron, new Date(NOW));

  test('has five fields, as crontabs have them', () => {
    for (const cron of ['* * * * *', '*/15 * * * *', '0 9 * * MON-FRI', '30 14 5 3 *', '0 0 L * *', '5,35 8-18 * * 1-5', '0  9 * * *'])
      assert.equal(faultOf(cron), null, cron);
    for (const cron of ['@daily', '* * * * * *', '2031-01-01T00:00:00', '* * * *', 'every day'])
      assert.match(faultOf(cron) ?? '', /^cron must have five fields/, cron);
    for (const cron of ['61 * * * *', '* 25 * * *', 'a b c d e', '*/0 * * * *', '5-1 * * * *'])
      assert.match(faultOf(cron) ?? '', /^cron cannot be read: \S/, cron);
  });

  test('comes within a year', () => {
    for (const cron of ['0 0 30 2 *', '0 0 29 2 *']) assert.match(faultOf(cron) ?? '', /does not come within a year/, cron);
    assert.equal(faultOf('30 9 1 1 *'), null, 'a year from now to the minute');
  });
});

test('the input of CronCreate is checked before anybody is asked', async () => {
  assert.deepEqual(await CronCreate.validateInput?.({ cron: '0 9 * * *', prompt: 'x' }), { ok: true });
  const refused = await CronCreate.validateInput?.({ cron: '@hourly', prompt: 'x' });
  assert.equal(refused?.ok, false);
});

toolSuite({ tool: CronCreate, input: { cron: '0 9 * * 1-5', prompt: 'Look at the mail.', recurring: true } });
