import { z } from 'zod';
import { buildTool, descriptionOf, type CallContext, type Schedule, type ToolResult } from '../../src/contract/index.ts';

const inputSchema = z.strictObject({ id: z.string().min(1).max(100).describe('Id of the plan, as CronCreate gave it back.') });

export default buildTool<typeof inputSchema, Schedule>({
  name: 'CronDelete',
  searchHint: 'end what is planned for later',
  // An agent has nobody in front of it.
  isEnabled: ({ flags }) => flags.has('person'),
  inputSchema,
  description: descriptionOf(import.meta.url),
  shouldDefer: true,
  effect: () => 'idempotent',
  permissionSubjects: () => [],
  call: end,
  renderUse: ({ id }) => ({ title: `End plan ${id}` }),
  renderResult: ({ id }, { output }) => ({ title: `End plan ${id}`, ...(output !== undefined && { subtitle: output.cron }) }),
  renderGroup: (inputs) => ({ title: 'End plans', body: { kind: 'list', items: inputs.map(({ id }) => id) } }),
});

function end({ id }: z.output<typeof inputSchema>, { state }: CallContext): ToolResult<Schedule> {
  const schedule = state.schedules?.find((each) => each.id === id);
  if (schedule === undefined) {
    const ids = state.schedules?.map((each) => each.id).join(', ');
    throw new Error(`Nothing is planned as ${id}. ${ids ? `There are: ${ids}.` : 'There is no plan at all.'}`);
  }
  return {
    content: `Ended ${id} (${schedule.cron}).`,
    output: schedule,
    contextModifier: (current) => ({ ...current, schedules: (current.schedules ?? []).filter((each) => each.id !== id) }),
  };
}
