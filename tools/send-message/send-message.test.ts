import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTeams } from '../../src/agents/teams.ts';
import type { TaskSummary } from '../../src/contract/index.ts';
import { toolSuite } from '../../test/suites/tool.ts';
import { toolHarness } from '../../test/support/tool-harness.ts';
import SendMessage from './index.ts';

const task = (id: string): TaskSummary => ({ id, kind: 'agent', status: 'running', started_at: '', output_bytes: 0 });
const tasks = { get: task, stop: async (id: string) => task(id) };

toolSuite({
  tool: SendMessage,
  input: { to: 'ada', message: 'hello' },
  ports() {
    const teams = createTeams({ tasks });
    teams.create({ name: 'crew', description: '' });
    teams.join('crew', { name: 'ada', taskId: 'ada' });
    return { services: { teams } };
  },
});

test('SendMessage reaches a member, or all, and says whom', async (t) => {
  const harness = await toolHarness(t);
  const teams = createTeams({ tasks });
  teams.create({ name: 'crew', description: '' });
  const [ada, bob] = ['ada', 'bob'].map((name) => teams.join('crew', { name, taskId: name }));
  const one = await harness.call(SendMessage, { to: 'ada', message: 'hello' }, { services: { teams } });
  assert.deepEqual([one.text, one.result.output], ['The message waits for ada.', { receivers: ['ada'] }]);
  const all = await harness.call(SendMessage, { team_name: 'crew', to: '*', message: 'x' }, { services: { teams } });
  assert.equal(all.text, 'The message waits for ada, bob.');
  assert.deepEqual([ada?.take().length, bob?.take().length], [2, 1]);
});

test('SendMessage says what to do where it is not clear which team is meant, or nobody would read it', async (t) => {
  const harness = await toolHarness(t);
  const teams = createTeams({ tasks });
  const send = (to: string): Promise<unknown> => harness.call(SendMessage, { to, message: 'x' }, { services: { teams } });
  await assert.rejects(send('ada'), /There is no team: make one with TeamCreate/);
  teams.create({ name: 'one', description: '' });
  await assert.rejects(send('ada'), /nobody else to write to as "ada"/);
  teams.create({ name: 'two', description: '' });
  await assert.rejects(send('ada'), /Say which team with "team_name": one, two/);
});

test('SendMessage shows who is written to and what', () => {
  assert.deepEqual(SendMessage.renderUse({ to: '*', message: 'x' }), { title: 'Message to all', body: { kind: 'text', text: 'x' } });
  assert.equal(
    SendMessage.renderGroup([
      { to: 'a', message: 'x' },
      { to: 'a', message: 'y' },
      { to: 'b', message: 'z' },
    ]).subtitle,
    'to a, b',
  );
  assert.deepEqual(SendMessage.permissionSubjects({ to: 'a', message: 'x' }, {} as never), []);
});
