import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTeams } from '../../src/agents/teams.ts';
import { SessionTasks } from '../../src/sessions/tasks/background-tasks.ts';
import { toolSuite } from '../../test/suites/tool.ts';
import { toolHarness } from '../../test/support/tool-harness.ts';
import TeamDelete from './index.ts';

toolSuite({
  tool: TeamDelete,
  input: { team_name: 'crew' },
  ports() {
    const teams = createTeams({ tasks: { get: () => undefined, stop: () => assert.fail() } });
    teams.create({ name: 'crew', description: '' });
    return { services: { teams } };
  },
});

test('TeamDelete stops the members that still work and forgets the team', async (t) => {
  const harness = await toolHarness(t);
  const tasks = new SessionTasks({ outputFileFor: (id) => join(harness.outputs, id), onEnded: () => {} });
  t.after(() => tasks.close());
  const teams = createTeams({ tasks });
  teams.create({ name: 'crew', description: '' });
  const { id } = tasks.start({
    kind: 'agent',
    run: ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve({ status: 'stopped' }), { once: true })),
  });
  teams.join('crew', { name: 'ada', taskId: id });
  const { text, result } = await harness.call(TeamDelete, { team_name: 'crew' }, { services: { teams } });
  assert.match(text, /no team "crew" any more\. Its members were ada/);
  assert.deepEqual([result.output, tasks.get(id)?.status, teams.list()], [{ members: ['ada'] }, 'stopped', []]);
  await assert.rejects(harness.call(TeamDelete, { team_name: 'crew' }, { services: { teams } }), /no team "crew"/);
});
