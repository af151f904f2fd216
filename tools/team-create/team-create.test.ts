import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTeams } from '../../src/agents/teams.ts';
import type { Teams } from '../../src/contract/index.ts';
import { inputValidator } from '../../src/toolbox/input/input-validator.ts';
import { toolSuite } from '../../test/suites/tool.ts';
import { toolHarness } from '../../test/support/tool-harness.ts';
import TeamCreate from './index.ts';

const newTeams = (): Teams => createTeams({ tasks: { get: () => undefined, stop: () => assert.fail() } });
const teams = newTeams();

toolSuite({ tool: TeamCreate, input: { team_name: 'crew' }, ports: () => ({ services: { teams: newTeams() } }) });

test('TeamCreate makes a team that agents may join, and refuses the name a second time', async (t) => {
  const harness = await toolHarness(t);
  const { text, result } = await harness.call(TeamCreate, { team_name: 'crew', description: 'builds it' }, { services: { teams } });
  assert.match(text, /"team_name": "crew"/);
  assert.deepEqual(result.output, { name: 'crew', description: 'builds it', members: [] });
  assert.equal(teams.get('crew')?.description, 'builds it');
  await assert.rejects(harness.call(TeamCreate, { team_name: 'crew' }, { services: { teams } }), /a team "crew" already/);
});

test('TeamCreate takes names that can be written in calls', () => {
  const check = inputValidator(TeamCreate);
  assert.ok(check({ team_name: 'crew-1' }).ok);
  for (const name of ['', 'a b', '*', 'x'.repeat(65)]) assert.equal(check({ team_name: name }).ok, false, name);
  assert.deepEqual(TeamCreate.renderUse({ team_name: 'crew' }), { title: 'New team crew' });
});
