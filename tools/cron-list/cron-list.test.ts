import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toolHarness } from '../../test/support/tool-harness.ts';
import CronList from './index.ts';
import { toolSuite } from '../../test/suites/tool.ts';

test('CronList shows what is planned, and when it comes next', async (t) => {
  const harness = await toolHarness(t);
  t.mock.timers.enable({ apis: ['Date'], now: Date.UTC(2030, 0, 1, 9, 30) });
  assert.equal((await harness.call(CronList, {})).text, 'Nothing is planned.');
  const [createdAt, long] = [0, `Look\nat ${'it, '.repeat(100)}`];
  harness.state = {
    ...harness.state,
    schedules: [
      { id: 'cron_a', cron: '0 9 * * *', prompt: long, recurring: true, createdAt },
      { id: 'cron_b', cron: '45 9 1 1 *', prompt: 'Once.', recurring: false, createdAt },
      { id: 'cron_c', cron: 'of another version', prompt: 'Never.', recurring: true, createdAt },
    ],
  };
  const { text } = await harness.call(CronList, {});
  const [a = '', ...others] = text.split('\n');
  assert.match(a, /^cron_a: 0 9 \* \* \* \(every time, next 2030-01-02T09:00:00\.000Z\): Look at it, .*…$/);
  assert.ok(a.length < 300);
  assert.deepEqual(others, [
    'cron_b: 45 9 1 1 * (once, next 2030-01-01T09:45:00.000Z): Once.',
    'cron_c: of another version (every time, next never): Never.',
  ]);
  assert.equal(CronList.renderResult({}, { content: text, output: text.split('\n') }).subtitle, '3');
});

toolSuite({ tool: CronList, input: {} });
