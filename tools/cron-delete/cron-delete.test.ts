import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Schedule } from '../../src/contract/index.ts';
import { toolHarness } from '../../test/support/tool-harness.ts';
import CronDelete from './index.ts';
import { toolSuite } from '../../test/suites/tool.ts';

test('CronDelete ends one plan, and says which there are when it is another', async (t) => {
  const harness = await toolHarness(t);
  await assert.rejects(harness.call(CronDelete, { id: 'cron_a' }), /Nothing is planned as cron_a\. There is no plan at all\./);
  const schedule = (id: string): Schedule => ({ id, cron: '0 9 * * *', prompt: 'x', recurring: true, createdAt: 0 });
  harness.state = { ...harness.state, schedules: [schedule('cron_a'), schedule('cron_b')] };
  assert.equal((await harness.call(CronDelete, { id: 'cron_a' })).text, 'Ended cron_a (0 9 * * *).');
  assert.deepEqual(harness.state.schedules, [schedule('cron_b')]);
  await assert.rejects(harness.call(CronDelete, { id: 'cron_a' }), /Nothing is planned as cron_a\. There are: cron_b\./);
});

toolSuite({
  tool: CronDelete,
  input: { id: 'cron_a' },
  async furnish(harness) {
    harness.state = { ...harness.state, schedules: [{ id: 'cron_a', cron: '0 9 * * *', prompt: 'x', recurring: true, createdAt: 0 }] };
  },
});
