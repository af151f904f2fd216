import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { runSchedule } from '../../src/composition/run-schedule.ts';
import type { TaskSummary } from '../../src/contract/index.ts';
import { SessionTasks } from '../../src/sessions/tasks/background-tasks.ts';
import { startLoop } from '../agents/loop-harness.ts';
import { lastWords } from '../support/model-server.ts';

const state = { cwd: '/w', mode: 'default', todos: [], loadedTools: [] } as const;
const schedule = { id: 'cron_1', cron: '0 9 * * *', prompt: 'Look for new files.', recurring: true, createdAt: 0 };

async function tasksIn(t: TestContext, ended: TaskSummary[], limit = 16): Promise<SessionTasks> {
  const directory = await mkdtemp(join(tmpdir(), 'toolexec-schedule-'));
  const tasks = new SessionTasks({ limit, outputFileFor: (id) => join(directory, id), onEnded: (task) => void ended.push(task) });
  t.after(async () => {
    await tasks.close();
    await rm(directory, { recursive: true });
  });
  return tasks;
}

test('a schedule whose time has come gives its prompt to an agent, whose answer is the output of a background task', async (t) => {
  const loop = await startLoop(t, () => ({ text: 'There are two.' }));
  const ended: TaskSummary[] = [];
  const tasks = await tasksIn(t, ended);
  await runSchedule({ schedule, agents: loop.agents, tasks, state });
  assert.equal(lastWords(loop.server.requests[0] ?? assert.fail()), 'Look for new files.');
  assert.deepEqual(
    ended.map(({ kind, status, description }) => ({ kind, status, description })),
    [{ kind: 'agent', status: 'completed', description: 'Schedule cron_1' }],
  );
  assert.equal(await readFile(tasks.outputFile(ended[0]?.id ?? ''), 'utf8'), 'There are two.\n');
});

test('an agent that a schedule has started asks nobody, and a session that is full says so', async (t) => {
  const loop = await startLoop(t, (_request, index) => (index === 0 ? { calls: [{ name: 'Echo' }] } : { text: 'ok' }), {
    answer: async () => (await loop.opened[0]?.order.people.approve({ reason: 'May it?' }))?.behavior ?? 'none',
  });
  const tasks = await tasksIn(t, []);
  await runSchedule({ schedule, agents: loop.agents, tasks, state });
  assert.equal(lastWords(loop.server.requests[1] ?? assert.fail()), 'deny');
  const full = await tasksIn(t, [], 0);
  await assert.rejects(runSchedule({ schedule, agents: loop.agents, tasks: full, state }), /stop one/);
});
