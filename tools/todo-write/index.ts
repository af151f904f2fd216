import { z } from 'zod';
import { buildTool, descriptionOf, type SessionState, type Todo, type View } from '../../src/contract/index.ts';

const MAX_ITEMS = 200;
const MAX_CHARS = 2_000;
const MARKS = { pending: '○', in_progress: '▸', completed: '✔' } as const;

const inputSchema = z.strictObject({
  todos: z
    .array(
      z.strictObject({
        content: z.string().min(1).max(MAX_CHARS).describe('What is to be done, such as "Run the tests".'),
        status: z.enum(['pending', 'in_progress', 'completed']).describe('How it stands.'),
        activeForm: z.string().min(1).max(MAX_CHARS).describe('What is shown while it is in progress, such as "Running the tests".'),
      }),
    )
    .max(MAX_ITEMS)
    .describe('The whole list, in order: it replaces the former one.'),
});
type Input = z.output<typeof inputSchema>;

export default buildTool<typeof inputSchema>({
  name: 'TodoWrite',
  searchHint: 'todo list of steps to do, plan, progress',
  inputSchema,
  description: descriptionOf(import.meta.url),
  hints: { destructive: false, idempotent: true },
  footprint: () => ({ writes: ['todos'] }),
  permissionSubjects: () => [],
  // The list changes together with the result: a call that was cut off has changed nothing, and may run again.
  effect: () => 'read',
  call: ({ todos }) => ({
    content: todos.length === 0 ? 'The todo list is empty now.' : `The todo list has ${counted(todos)}. Go on with the work.`,
    contextModifier: (state: SessionState) => ({ ...state, todos }),
  }),
  renderUse: draw,
  renderResult: draw,
  renderGroup: (inputs) => {
    const last = inputs.at(-1);
    return last === undefined ? { title: 'Todo list' } : draw(last);
  },
});

function counted(todos: Input['todos']): string {
  const count = (status: Todo['status']): number => todos.filter((todo) => todo.status === status).length;
  const items = todos.length === 1 ? '1 item' : `${todos.length} items`;
  return `${items}: ${count('completed')} completed, ${count('in_progress')} in progress, ${count('pending')} pending`;
}

function draw({ todos }: Input): View {
  const done = todos.filter(({ status }) => status === 'completed').length;
  const items = todos.map(({ content, activeForm, status }) => `${MARKS[status]} ${status === 'in_progress' ? activeForm : content}`);
  return { title: 'Todo list', subtitle: `${done} of ${todos.length} done`, body: { kind: 'list', items } };
}
