import { z } from 'zod';
import {
  buildTool,
  descriptionOf,
  openTaskIds,
  TASK_ITEM_STATUSES,
  TaskItemFields,
  taskLine,
  type CallContext,
  type SessionState,
  type ToolResult,
  type View,
} from '../../src/contract/index.ts';
import { updateTask, type TaskChange } from './update-task.ts';

/** Links that one call may add in each direction. */
const MAX_LINKS = 100;

const { taskId, subject, description: details, activeForm, metadata } = TaskItemFields;
const ids = z.array(taskId).max(MAX_LINKS);
const inputSchema = z.strictObject({
  taskId,
  subject: subject.optional(),
  description: details.optional(),
  activeForm: activeForm.optional(),
  status: z
    .enum([...TASK_ITEM_STATUSES, 'deleted'])
    .optional()
    .describe('How the task stands now; deleted removes it.'),
  owner: z.string().max(200).optional().describe('Name of who does it; an empty text for nobody.'),
  addBlocks: ids.optional().describe('Ids of tasks that cannot begin before this one is completed.'),
  addBlockedBy: ids.optional().describe('Ids of tasks that must be completed before this one can begin.'),
  metadata: metadata.optional().describe('Merged into what is there; a key with null is removed.'),
});

export default buildTool<typeof inputSchema>({
  name: 'TaskUpdate',
  searchHint: 'change, complete, link or delete a task of the task list',
  inputSchema,
  description: descriptionOf(import.meta.url),
  isDestructive: ({ status }) => status === 'deleted',
  permissionSubjects: () => [],
  // The list changes together with the result: a call that was cut off has changed nothing, and may run again.
  effect: () => 'read',
  call: update,
  renderUse: draw,
  renderResult: (input, { content }) => ({
    ...draw(input),
    ...(typeof content === 'string' && { body: { kind: 'text', text: content } }),
  }),
  renderGroup: (inputs) => ({
    title: 'Update tasks',
    subtitle: `${inputs.length} changes`,
    body: { kind: 'list', items: inputs.map((input) => `#${input.taskId} ${whatChanges(input)}`) },
  }),
});

function update(change: TaskChange, { state }: CallContext): ToolResult {
  const { task, tasks, freed } = updateTask(state, change);
  const lines = [
    task === undefined ? `Deleted task #${change.taskId}.` : `Updated task ${taskLine(task, openTaskIds(tasks))}`,
    ...(freed.length === 0 ? [] : [`Nothing blocks these any more: ${freed.map(({ id }) => `#${id}`).join(', ')}.`]),
  ];
  return { content: lines.join('\n'), contextModifier: (current: SessionState) => updateTask(current, change).state };
}

function draw(change: TaskChange): View {
  return { title: `Task #${change.taskId}`, subtitle: whatChanges(change) };
}

function whatChanges({ taskId: _id, status, ...more }: TaskChange): string {
  const names = Object.entries(more).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return [...(status === undefined ? [] : [status.replace('_', ' ')]), ...names].join(', ');
}
