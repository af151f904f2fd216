// An agent as a task of the session, from its start on: nobody can be asked for it, and others may write to it.
import type { AgentAnswer, AgentOrder, CallContext, TaskEnd, TaskPlace, TeamInbox } from '../../src/contract/index.ts';
import { AgentLog } from './agent-log.ts';
import type { AgentInput } from './input.ts';
import { summaryOf } from './result.ts';

/** Milliseconds that a member of a team waits for messages when it has no more to do. */
const IDLE_MS = 600_000;

/** For an agent whose questions nobody hears. @param where in the background, say */
export function nobody(where: string): AgentOrder['people'] {
  const message = `this agent works ${where}, where nobody can be asked. Do without it, and say so in your answer.`;
  return { approve: () => Promise.resolve({ behavior: 'deny', by: 'settings', message }) };
}

/** All of an order but who hears of it. */
export function orderOf(
  { prompt, subagent_type: type, name, team_name: team }: AgentInput,
  { turnId, toolUseId, state }: CallContext,
): Omit<AgentOrder, 'signal' | 'people' | 'onProgress'> {
  const { cwd, mode, grants } = state;
  return {
    turnId,
    toolUseId,
    prompt,
    type,
    state: { cwd, mode, todos: [], loadedTools: [], ...(grants !== undefined && { grants }) },
    ...(team !== undefined && name !== undefined && { member: { team, name } }),
  };
}

/** @returns the id of the task. @throws Error fit for a model when no task can begin, or the team does not take it */
export function startInBackground(input: AgentInput, context: CallContext): string {
  const { tasks, teams, agents } = context;
  const { name, team_name: team, description } = input;
  const joined = Promise.withResolvers<TeamInbox | undefined>();
  const task = tasks.start({
    kind: 'agent',
    description,
    async run(place) {
      const log = new AgentLog();
      const inbox = await joined.promise;
      const running = agents.run({
        ...orderOf(input, context),
        signal: place.signal,
        people: nobody('in the background'),
        onProgress: (data) => log.note(data),
        ...(inbox !== undefined && mailOf(inbox, place, log)),
      });
      return endOf(running, place, log);
    },
  });
  try {
    joined.resolve(team === undefined || name === undefined ? undefined : teams.join(team, { name, taskId: task.id }));
  } catch (error) {
    joined.reject(error);
    throw error;
  }
  return task.id;
}

/** Writes all that the agent says and does into the task's file. @throws whatever the agent fails with */
export async function endOf(running: Promise<AgentAnswer>, { outputFile, signal }: TaskPlace, log: AgentLog): Promise<TaskEnd> {
  log.open(outputFile);
  try {
    const answer = await running;
    if (signal.aborted) return { status: 'stopped' };
    log.line(summaryOf(answer).slice(1, -1));
    return { status: 'completed' };
  } finally {
    await log.close();
  }
}

/** A member of a team waits for messages instead of ending. */
function mailOf(inbox: TeamInbox, { signal }: TaskPlace, log: AgentLog): Pick<AgentOrder, 'inbox' | 'waitForMore'> {
  const take = (): readonly string[] => {
    const messages = inbox.take();
    for (const message of messages) log.line(message.split('\n', 1)[0] ?? '');
    return messages;
  };
  return {
    inbox: take,
    async waitForMore() {
      log.line('waits for messages');
      const idle = AbortSignal.timeout(IDLE_MS);
      return (await inbox.wait(AbortSignal.any([signal, idle]))) ? take() : [];
    },
  };
}
