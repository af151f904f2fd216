import { z } from 'zod';
import { buildTool, descriptionOf, ONLY_READS, openTaskIds, taskLine } from '../../src/contract/index.ts';

const inputSchema = z.strictObject({});

interface Output {
  /** One line a task. */
  readonly lines: string[];
  readonly completed: number;
}

export default buildTool<typeof inputSchema, Output>({
  name: 'TaskList',
  searchHint: 'show all tasks of the task list',
  inputSchema,
  description: descriptionOf(import.meta.url),
  ...ONLY_READS,
  permissionSubjects: () => [],
  call(_input, { state }) {
    const tasks = state.taskList ?? [];
    const open = openTaskIds(tasks);
    const lines = tasks.map((task) => taskLine(task, open));
    return {
      content: lines.length === 0 ? 'The task list is empty.' : lines.join('\n'),
      output: { lines, completed: tasks.length - open.size },
    };
  },
  renderUse: () => ({ title: 'Task list' }),
  renderResult: (_input, { output = { lines: [], completed: 0 } }) => ({
    title: 'Task list',
    subtitle: `${output.completed} of ${output.lines.length} done`,
    body: { kind: 'list', items: output.lines },
  }),
  renderGroup: (inputs) => ({ title: 'Task list', subtitle: `${inputs.length} times`, collapsed: true }),
});
