import { z } from 'zod';
import { buildTool, descriptionOf, ONLY_READS, openTaskIds, TaskItemFields, taskLine, type TaskItem } from '../../src/contract/index.ts';

const inputSchema = z.strictObject({ taskId: TaskItemFields.taskId });

export default buildTool<typeof inputSchema, TaskItem>({
  name: 'TaskGet',
  searchHint: 'read one task of the task list',
  inputSchema,
  description: descriptionOf(import.meta.url),
  ...ONLY_READS,
  permissionSubjects: () => [],
  call({ taskId }, { state }) {
    const tasks = state.taskList ?? [];
    const task = tasks.find(({ id }) => id === taskId);
    if (task === undefined) return { content: `There is no task ${taskId}: TaskList shows those that there are.`, isError: true };
    return { content: inWords(task, openTaskIds(tasks)), output: task };
  },
  renderUse: ({ taskId }) => ({ title: `Task #${taskId}` }),
  renderResult: ({ taskId }, { output }) =>
    output === undefined
      ? { title: `Task #${taskId}`, subtitle: 'not found' }
      : {
          title: `Task #${taskId}: ${output.subject}`,
          subtitle: output.status,
          body: { kind: 'markdown', text: output.description },
          collapsed: true,
        },
  renderGroup: (inputs) => ({ title: 'Tasks', subtitle: inputs.map(({ taskId }) => `#${taskId}`).join(', '), collapsed: true }),
});

function inWords(task: TaskItem, open: ReadonlySet<string>): string {
  const named = (ids: readonly string[]): string => ids.map((id) => `#${id}${open.has(id) ? '' : ' (completed)'}`).join(', ');
  return [
    taskLine(task, open),
    ...(task.activeForm === undefined ? [] : [`In progress: ${task.activeForm}`]),
    ...(task.blockedBy.length === 0 ? [] : [`Blocked by: ${named(task.blockedBy)}`]),
    ...(task.blocks.length === 0 ? [] : [`Blocks: ${named(task.blocks)}`]),
    ...(task.metadata === undefined ? [] : [`Metadata: ${JSON.stringify(task.metadata)}`]),
    '',
    task.description,
  ].join('\n');
}
