import { z } from 'zod';
import { buildTool, descriptionOf, textOf, type CallContext, type TaskSummary, type ToolResult } from '../../src/contract/index.ts';

const taskStopInput = z.strictObject({
  task_id: z.string().min(1).describe('Id of the task, as it was told when the task began: task_….'),
});

type TaskStopInput = z.output<typeof taskStopInput>;

export default buildTool<typeof taskStopInput, TaskSummary>({
  name: 'TaskStop',
  aliases: ['KillShell'],
  searchHint: 'stop, kill or end a background command, server or agent',
  inputSchema: taskStopInput,
  description: descriptionOf(import.meta.url),
  // Each stops its own task, and to do so twice is the same.
  isConcurrencySafe: () => true,
  hints: { destructive: false, idempotent: true },
  effect: () => 'idempotent',
  permissionSubjects: () => [],
  call: stopTask,
  renderUse: (input) => ({ title: titleOf(input) }),
  renderResult: (input, { content, output }) => ({
    title: titleOf(input),
    ...(output === undefined ? {} : { subtitle: output.status }),
    body: { kind: 'text', text: textOf(content) },
  }),
  renderGroup: (inputs) => ({
    title: 'Stop tasks',
    subtitle: `${inputs.length} tasks`,
    body: { kind: 'list', items: inputs.map((input) => input.task_id) },
  }),
});

async function stopTask({ task_id: id }: TaskStopInput, { tasks, signal }: CallContext): Promise<ToolResult<TaskSummary>> {
  const ran = tasks.get(id)?.status === 'running';
  // A call that is stopped waits no longer; the task ends all the same.
  const task = await Promise.race([tasks.stop(id), tasks.ended(id, signal)]);
  return { content: sentenceOn(task, ran), output: task };
}

function sentenceOn({ id, status, exit_code: code }: TaskSummary, ran: boolean): string {
  if (status === 'running') return `Task ${id} has been told to stop.`;
  if (ran && status === 'stopped') return `Task ${id} was stopped.`;
  const how = code === undefined ? status : `${status}, exit code ${code}`;
  return ran ? `Task ${id} has just ended by itself: ${how}.` : `Task ${id} had ended before: ${how}.`;
}

function titleOf(input: TaskStopInput): string {
  return `Stop ${input.task_id}`;
}
