import { z } from 'zod';
import {
  assertTaskListFits,
  buildTool,
  descriptionOf,
  metadataFault,
  TaskItemFields,
  taskLine,
  type SessionState,
  type TaskItem,
  type View,
} from '../../src/contract/index.ts';

const { subject, description: details, activeForm, metadata } = TaskItemFields;
const inputSchema = z.strictObject({
  subject,
  description: details,
  activeForm: activeForm.optional(),
  metadata: metadata.optional(),
});
type Input = z.output<typeof inputSchema>;

export default buildTool<typeof inputSchema>({
  name: 'TaskCreate',
  searchHint: 'add a task to the task list',
  inputSchema,
  description: descriptionOf(import.meta.url),
  hints: { destructive: false },
  validateInput(input) {
    const message = metadataFault(input.metadata);
    return message === undefined ? { ok: true } : { ok: false, message };
  },
  permissionSubjects: () => [],
  // The list changes together with the result: a call that was cut off has changed nothing, and may run again.
  effect: () => 'read',
  call(input, { state }) {
    const { task } = withTask(state, input);
    return {
      content: `Created task ${taskLine(task, new Set())}`,
      contextModifier: (current: SessionState) => withTask(current, input).state,
    };
  },
  renderUse: draw,
  renderResult: draw,
  renderGroup: (inputs) => ({
    title: 'Create tasks',
    subtitle: `${inputs.length} tasks`,
    body: { kind: 'list', items: inputs.map((input) => input.subject) },
  }),
});

/** @throws Error fit for a model when the list is full */
function withTask(state: SessionState, input: Input): { state: SessionState; task: TaskItem } {
  const { taskList = [], taskListLast = 0 } = state;
  // A list from before its count was kept knows its ids only by its tasks.
  const last = taskList.reduce((highest, { id }) => Math.max(highest, Number(id)), taskListLast) + 1;
  const task: TaskItem = {
    id: String(last),
    subject: input.subject,
    description: input.description,
    ...(input.activeForm !== undefined && { activeForm: input.activeForm }),
    status: 'pending',
    blocks: [],
    blockedBy: [],
    ...(input.metadata !== undefined && { metadata: input.metadata }),
  };
  const tasks = [...taskList, task];
  assertTaskListFits(tasks);
  return { state: { ...state, taskList: tasks, taskListLast: last }, task };
}

function draw(input: Input): View {
  return { title: `Task: ${input.subject}`, body: { kind: 'markdown', text: input.description }, collapsed: true };
}
