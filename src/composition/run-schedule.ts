// A schedule whose time has come: an agent gets its prompt, as a background task of the session.
import { appendFile } from 'node:fs/promises';
import type { Agents, BackgroundTasks, People, Schedule, SessionState } from '../contract/index.ts';

/** Nobody watches: what would need a question is denied. */
const NOBODY: Pick<People, 'approve'> = {
  approve: () =>
    Promise.resolve({ behavior: 'deny', by: 'settings', message: 'this agent was started by a schedule, and nobody can be asked.' }),
};

export interface ScheduledRun {
  readonly schedule: Schedule;
  readonly agents: Agents;
  readonly tasks: BackgroundTasks;
  readonly state: SessionState;
}

let runs = 0;

/** Resolves when the agent has ended. @throws Error when no task can begin */
export async function runSchedule({ schedule, agents, tasks, state }: ScheduledRun): Promise<void> {
  const { id, prompt } = schedule;
  // Each run has a checkpoint of its own.
  const turnId = `${id}_${Date.now().toString(36)}_${(runs += 1)}`;
  const task = tasks.start({
    kind: 'agent',
    description: `Schedule ${id}`,
    async run({ outputFile, signal }) {
      const { text } = await agents.run({
        turnId,
        toolUseId: id,
        prompt,
        type: 'general-purpose',
        state,
        signal,
        people: NOBODY,
        onProgress: () => {},
      });
      if (signal.aborted) return { status: 'stopped' };
      await appendFile(outputFile, `${text}\n`, { mode: 0o600 });
      return { status: 'completed' };
    },
  });
  await tasks.ended(task.id, new AbortController().signal);
}
