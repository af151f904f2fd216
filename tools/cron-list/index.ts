import { readFileSync } from 'node:fs';
import { Cron } from 'croner';
import { z } from 'zod';
import { buildTool, type CallContext, type Schedule, type ToolResult } from '../../src/contract/index.ts';

const DESCRIPTION = readFileSync(new URL('./description.md', import.meta.url), 'utf8').trim();
const PROMPT_CHARS = 200;

const inputSchema = z.strictObject({});

export default buildTool<typeof inputSchema, readonly string[]>({
  name: 'CronList',
  searchHint: 'what is planned for later',
  // An agent has nobody in front of it.
  isEnabled: ({ flags }) => flags.has('person'),
  inputSchema,
  description: () => DESCRIPTION,
  shouldDefer: true,
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  hints: { readOnly: true },
  effect: () => 'read',
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
  const shown = prompt.replace(/\s+/g, ' ');
  const begin = shown.length > PROMPT_CHARS ? `${shown.slice(0, PROMPT_CHARS).replace(/[\uD800-\uDBFF]$/, '')}…` : shown;
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
