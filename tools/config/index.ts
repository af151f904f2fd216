import { z } from 'zod';
import { buildTool, descriptionOf, CONTROL_KEYS, type CallContext, type ToolResult } from '../../src/contract/index.ts';

const inputSchema = z.strictObject({
  setting: z.enum(CONTROL_KEYS).describe('Which setting.'),
  value: z
    .union([z.string().max(100), z.number()])
    .optional()
    .describe('What it shall be from now on. Leave it out to be told what it is.'),
});
type ConfigInput = z.output<typeof inputSchema>;

export interface ConfigOutput {
  readonly setting: string;
  readonly value: string | number;
  /** Set when the call has changed it. */
  readonly before?: string | number;
}

export default buildTool<typeof inputSchema, ConfigOutput>({
  name: 'Config',
  searchHint: 'look at or change a setting of this session',
  inputSchema,
  description: descriptionOf(import.meta.url),
  isEnabled: ({ flags }) => flags.has('operator'),
  isReadOnly: ({ value }) => value === undefined,
  isConcurrencySafe: ({ value }) => value === undefined,
  hints: { idempotent: true },
  effect: ({ value }) => (value === undefined ? 'read' : 'idempotent'),
  shouldDefer: true,
  // What a session may do, and for how long, a model does not decide by itself.
  checkPermissions: (input) =>
    input.value === undefined
      ? { behavior: 'allow', input }
      : { behavior: 'ask', reason: `The call changes a setting of the session: ${input.setting} becomes ${input.value}.` },
  permissionSubjects: ({ setting, value }) => (value === undefined ? [] : [{ kind: 'other', text: setting }]),
  toAutoClassifierInput: ({ setting, value }) => (value === undefined ? '' : `${setting} = ${value}`),
  call: tellOrSet,
  renderUse: (input) => ({ title: titleOf(input) }),
  renderResult: (input, { output }) => ({ title: titleOf(input), ...(output !== undefined && { subtitle: `${output.value}` }) }),
  renderGroup: (inputs) => ({ title: 'Config', body: { kind: 'list', items: inputs.map(titleOf) } }),
});

function titleOf({ setting, value }: ConfigInput): string {
  return value === undefined ? `Config ${setting}` : `Config ${setting} = ${value}`;
}

async function tellOrSet({ setting, value }: ConfigInput, { controls }: CallContext): Promise<ToolResult<ConfigOutput>> {
  const before = controls.get(setting);
  if (value === undefined) return { content: `${setting} is ${before}.`, output: { setting, value: before } };
  // Models give numbers as texts.
  const given = typeof before === 'number' && typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  await controls.set(setting, given);
  const now = controls.get(setting);
  return {
    content: `${setting} was ${before} and is ${now} from the next message on.`,
    output: { setting, value: now, before },
  };
}
