import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { buildTool, descriptionOf, type CallContext, type Schedule, type ToolResult } from '../../src/contract/index.ts';
import { cronFault, nextTime } from './cron.ts';

const MAX_SCHEDULES = 20;
const MAX_PROMPT_CHARS = 10_000;

const inputSchema = z.strictObject({
  cron: z.string().trim().min(1).max(200).describe('When: minute, hour, day of the month, month and day of the week, in UTC.'),
  prompt: z.string().trim().min(1).max(MAX_PROMPT_CHARS).describe('What the agent is told to do. It knows nothing else.'),
  recurring: z.boolean().optional().describe('Whether it happens every time, or once. Default: true.'),
});
type CronInput = z.output<typeof inputSchema>;

export interface CronOutput {
  readonly id: string;
  /** ISO 8601, in UTC. */
  readonly next: string;
}

export default buildTool<typeof inputSchema, CronOutput>({
  name: 'CronCreate',
  searchHint: 'plan a prompt for later or again and again, schedule, remind',
  // An agent has nobody in front of it.
  isEnabled: ({ flags }) => flags.has('person'),
  inputSchema,
  description: descriptionOf(import.meta.url),
  shouldDefer: true,
  validateInput({ cron }) {
    const fault = cronFault(cron, new Date());
    return fault === null ? { ok: true } : { ok: false, message: fault };
  },
  // Work that nobody watches, at the operator's cost: where people are asked at all, they are asked for it.
  permissionSubjects: () => [{ kind: 'other' }],
  toAutoClassifierInput: ({ cron, prompt }) => `${cron}: ${prompt}`,
  call: plan,
  renderUse: ({ cron, prompt }) => ({ title: `Plan ${cron}`, body: { kind: 'text', text: prompt } }),
  renderResult: ({ cron, prompt }, { output }) => ({
    title: `Plan ${cron}`,
    ...(output !== undefined && { subtitle: `${output.id}, next ${output.next}` }),
    body: { kind: 'text', text: prompt },
  }),
  renderGroup: (inputs) => ({ title: 'Plans', body: { kind: 'list', items: inputs.map(({ cron, prompt }) => `${cron}: ${prompt}`) } }),
});

function plan({ cron, prompt, recurring = true }: CronInput, { state }: CallContext): ToolResult<CronOutput> {
  const { schedules = [] } = state;
  if (schedules.length >= MAX_SCHEDULES) {
    throw new Error(`The session has ${MAX_SCHEDULES} plans, which is the most there can be: end one with CronDelete first.`);
  }
  const now = new Date();
  const id = `cron_${randomBytes(6).toString('hex')}`;
  const schedule: Schedule = { id, cron, prompt, recurring, createdAt: now.getTime() };
  const next = nextTime(cron, now)?.toISOString() ?? 'never';
  return {
    content: `Planned as ${id}: ${recurring ? 'every time' : 'once'}, next at ${next}.`,
    output: { id, next },
    contextModifier: (current) => ({ ...current, schedules: [...(current.schedules ?? []), schedule] }),
  };
}
