import { buildTool, descriptionOf, ONLY_READS, textOf } from '../../src/contract/index.ts';
import { answerOf, statusOf, type TaskOutputAnswer } from './answer.ts';
import { MAX_TIMEOUT_MS, taskOutputInput, type TaskOutputInput } from './input.ts';
import { waitForEnd } from './wait-for-end.ts';

export default buildTool<typeof taskOutputInput, TaskOutputAnswer>({
  name: 'TaskOutput',
  aliases: ['BashOutput'],
  searchHint: 'output and status of a background command or agent, wait for its end',
  inputSchema: taskOutputInput,
  description: descriptionOf(import.meta.url),
  ...ONLY_READS,
  permissionSubjects: () => [],
  timeoutMs: MAX_TIMEOUT_MS + 30_000,
  async call(input, context) {
    const task = await waitForEnd(input, context);
    // What nobody gets to see stays news.
    if (context.signal.aborted) return { content: `The wait was stopped; task ${task.id} was not.`, isError: true };
    return answerOf(task, context.tasks);
  },
  renderUse: (input) => ({ title: titleOf(input), subtitle: input.block ? 'waits for its end' : 'looks at it' }),
  renderResult: (input, { content, output }) => ({
    title: titleOf(input),
    ...(output === undefined ? {} : { subtitle: statusOf(output.task) }),
    body: { kind: 'terminal', text: output?.text ?? textOf(content) },
  }),
  renderGroup: (inputs) => ({
    title: 'Task output',
    subtitle: `${inputs.length} tasks`,
    body: { kind: 'list', items: inputs.map((input) => input.task_id) },
  }),
});

function titleOf(input: TaskOutputInput): string {
  return `Output of ${input.task_id}`;
}
