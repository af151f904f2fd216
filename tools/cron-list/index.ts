import { Cron } from 'croner';
import { z } from 'zod';
import {
  buildTool,
  descriptionOf,
  ONLY_READS,
  clipped,
  type CallContext,
  type Schedule,
  type ToolResult,
} from '../../src/contract/index.ts';

const PROMPT_CHARS = 200;

const inputSchema = z.strictObject({});

export default buildTool<typeof inputSchema, readonly string[]>({
  name: 'CronList',
  searchHint: 'what is planned for later',
  // An agent has nobody in front of it.
  isEnabled: ({ flags }) => flags.has('person'),
  inputSchema,
  description: descriptionOf(import.meta.url),
  shouldDefer: true,
  ...ONLY_READS,
  permissionSubjects: () => [],
  call: list,
  renderUse: () => ({ title: 'Plans' }),
  renderResult: (_input, { output = [] }) => ({ title: 'Plans', subtitle: `${output.length}`, body: { kind: 'list', items: [...output] } }),
});

function list(_input: object, { state }: CallContext): ToolResult<readonly string[]> {
  const lines = (state.schedules ?? []).map(lineOf);
  return { content: lines.length === 0 ? 'Nothing is planned.' : lines.join('\n'), output: lines };
}

function lineOf({ id, cron, prompt, recurring }: Schedule): string {
  const begin = clipped(prompt.replace(/\s+/g, ' '), PROMPT_CHARS);
  return `${id}: ${cron} (${recurring ? 'every time' : 'once'}, next ${nextOf(cron)}): ${begin}`;
}

function nextOf(cron: string): string {
  try {
    return new Cron(cron, { mode: '5-part', timezone: 'UTC', paused: true }).nextRun()?.toISOString() ?? 'never';
  } catch {
    // It was kept by another version of the service, which read such fields.
    return 'never';
  }
}
