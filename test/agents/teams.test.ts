// Teams in memory: who is in them, who may write to whom, and how much.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bindTeams } from '../../src/agents/bind-teams.ts';
import { createTeams } from '../../src/agents/teams.ts';
import type { TaskSummary, Teams } from '../../src/contract/index.ts';

function world(): { teams: Teams; end: (taskId: string) => void; stopped: string[] } {
  const ended = new Set<string>();
  const stopped: string[] = [];
  const get = (id: string): TaskSummary => ({
    id,
    kind: 'agent',
    status: ended.has(id) ? 'completed' : 'running',
    started_at: '',
    output_bytes: 0,
  });
  const stop = async (id: string): Promise<TaskSummary> => {
    stopped.push(id);
    ended.add(id);
    return get(id);
  };
  const teams = createTeams({ tasks: { get, stop } });
  teams.create({ name: 'crew', description: 'the crew' });
  return { teams, end: (id) => void ended.add(id), stopped };
}

test('a message reaches the one it is for, once, and says who wrote it', () => {
  const { teams } = world();
  const ada = teams.join('crew', { name: 'ada', taskId: 't1' });
  const bob = teams.join('crew', { name: 'bob', taskId: 't2' });
  assert.deepEqual(teams.send({ team: 'crew', to: 'ada', text: 'hello' }), ['ada']);
  assert.deepEqual(teams.send({ team: 'crew', to: 'ada', text: 'hi', from: 'bob' }), ['ada']);
  assert.deepEqual(ada.take(), ['Message from the one who leads the team:\nhello', 'Message from bob:\nhi']);
  assert.deepEqual([ada.take(), bob.take()], [[], []]);
});

test('a message to all reaches all that work but the one who writes', () => {
  const { teams, end } = world();
  for (const name of ['ada', 'bob', 'eve']) teams.join('crew', { name, taskId: name });
  end('eve');
  assert.deepEqual(teams.send({ team: 'crew', to: '*', text: 'x', from: 'ada' }), ['bob']);
});

test('a message that nobody would read is refused, with the names there are', () => {
  const { teams, end } = world();
  assert.throws(() => teams.send({ team: 'no', to: 'ada', text: 'x' }), /no team "no": there is "crew"/);
  assert.throws(() => teams.send({ team: 'crew', to: '*', text: 'x' }), /nobody else[^]*there is none/);
  for (const name of ['ada', 'bob']) teams.join('crew', { name, taskId: name });
  end('bob');
  assert.throws(() => teams.send({ team: 'crew', to: 'bob', text: 'x' }), /"bob" has ended its work in team "crew": there is "ada"/);
  assert.throws(() => teams.send({ team: 'crew', to: 'ada', text: 'x', from: 'ada' }), /nobody else/);
  assert.throws(() => teams.send({ team: 'crew', to: 'ada', text: 'x'.repeat(10_001) }), /at most 10000 characters/);
});

test('an inbox holds a hundred messages or 200,000 characters, and no part of a message to all is sent when one has no room', () => {
  const { teams } = world();
  const ada = teams.join('crew', { name: 'ada', taskId: 't1' });
  const bob = teams.join('crew', { name: 'bob', taskId: 't2' });
  for (let count = 0; count < 100; count += 1) teams.send({ team: 'crew', to: 'ada', text: 'x' });
  assert.throws(() => teams.send({ team: 'crew', to: '*', text: 'x' }), /Too much waits to be read by ada: nothing was sent/);
  assert.deepEqual(bob.take(), []);
  assert.equal(ada.take().length, 100);
  let sent = 0;
  assert.throws(() => {
    for (; sent < 100; sent += 1) teams.send({ team: 'crew', to: 'bob', text: 'x'.repeat(10_000) });
  }, /Too much waits/);
  assert.ok(sent >= 19 && sent <= 20, `${sent}`);
});

test('one who waits is woken by a message, by the end of the team, and by its own end', async () => {
  const { teams } = world();
  const ada = teams.join('crew', { name: 'ada', taskId: 't1' });
  const stop = new AbortController();
  const message = ada.wait(stop.signal);
  teams.send({ team: 'crew', to: 'ada', text: 'x' });
  assert.equal(await message, true);
  ada.take();
  const end = ada.wait(stop.signal);
  stop.abort();
  assert.equal(await end, false);
  const removed = ada.wait(new AbortController().signal);
  await teams.remove('crew');
  assert.equal(await removed, false);
});

test('a team that is removed stops who still works in it, and is gone', async () => {
  const { teams, end, stopped } = world();
  for (const name of ['ada', 'bob']) teams.join('crew', { name, taskId: name });
  end('ada');
  await teams.remove('crew');
  assert.deepEqual(stopped, ['bob']);
  assert.deepEqual([teams.list(), teams.get('crew')], [[], undefined]);
  await assert.rejects(async () => teams.remove('crew'), /no team "crew": there is none/);
});

test('names are taken while their owner works, and free again after', () => {
  const { teams, end } = world();
  teams.join('crew', { name: 'ada', taskId: 't1' });
  assert.throws(() => teams.join('crew', { name: 'ada', taskId: 't2' }), /"ada" is in team "crew" already/);
  end('t1');
  teams.join('crew', { name: 'ada', taskId: 't2' });
  assert.deepEqual(teams.get('crew')?.members, [{ name: 'ada', taskId: 't2' }]);
  assert.throws(() => teams.create({ name: 'crew', description: '' }), /a team "crew" already/);
});

test('there are five teams of ten at most', () => {
  const { teams } = world();
  for (let count = 1; count < 5; count += 1) teams.create({ name: `team${count}`, description: '' });
  assert.throws(() => teams.create({ name: 'one-more', description: '' }), /5 teams, as many as may be/);
  for (let count = 0; count < 10; count += 1) teams.join('crew', { name: `m${count}`, taskId: `m${count}` });
  assert.throws(() => teams.join('crew', { name: 'm10', taskId: 'm10' }), /has 10 members, as many as may be/);
});

test('a member sees its own team alone, writes in its own name, and changes no team', async () => {
  const { teams } = world();
  teams.create({ name: 'others', description: '' });
  const ada = teams.join('crew', { name: 'ada', taskId: 't1' });
  teams.join('crew', { name: 'bob', taskId: 't2' });
  const bobs = bindTeams(teams, { team: 'crew', name: 'bob' });
  assert.deepEqual(
    bobs.list().map(({ name }) => name),
    ['crew'],
  );
  assert.equal(bobs.get('others'), undefined);
  bobs.send({ team: 'crew', to: 'ada', text: 'x', from: 'somebody-else' });
  assert.deepEqual(ada.take(), ['Message from bob:\nx']);
  assert.throws(() => bobs.send({ team: 'others', to: '*', text: 'x' }), /You are in team "crew"/);
  assert.throws(() => bobs.create({ name: 'x', description: '' }), /Only the one who leads/);
  assert.throws(() => bobs.join('crew', { name: 'x', taskId: 'x' }), /Only the one who leads/);
  await assert.rejects(bobs.remove('crew'), /Only the one who leads/);
});
