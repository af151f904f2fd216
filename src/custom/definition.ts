// A tool that a session brings along, as it travels. Either the service calls it over HTTP, or the client runs it.
import { z } from 'zod';
import { headerFields } from '../contract/index.ts';

const MAX_TOOLS = 200;
/** Bytes of JSON of all definitions together: every request of a model may carry them. */
const MAX_BYTES = 512 * 1024;
/** Values in all definitions together: each costs time when the schemas are compiled. */
const MAX_VALUES = 20_000;
const MAX_PATHS = 100;

const flag = z.boolean({ error: 'give true or false' }).optional();

const Paths = z
  .array(
    z
      .string()
      .min(1, { error: 'give a path that is not empty' })
      .max(4_096, { error: 'at most 4096 characters' })
      .regex(/^[^\0]*$/, { error: 'a path holds no NUL' }),
  )
  .max(MAX_PATHS, { error: `at most ${MAX_PATHS} paths` })
  .default([]);

const Annotations = z
  .strictObject({
    read_only: flag.describe('It changes nothing: it then runs without a question, and again after a crash.'),
    destructive: flag.describe('It may remove or overwrite what cannot be brought back.'),
    concurrency_safe: flag.describe('It may run beside other calls. Absent: as `read_only`.'),
    idempotent: flag.describe('A second call with the same input changes nothing more: it then may run again after a crash.'),
    footprint: z
      .strictObject({ reads: Paths, writes: Paths })
      .optional()
      .describe('All files that it touches, absolute or from the workspace. Empty lists: none.'),
  })
  .superRefine(({ read_only, destructive, footprint }, context) => {
    if (read_only !== true) return;
    const refuse = (path: (string | number)[], message: string): void => context.addIssue({ code: 'custom', path, message });
    if (destructive === true) refuse(['destructive'], 'a tool with read_only destroys nothing: leave one of the two out');
    if ((footprint?.writes.length ?? 0) > 0)
      refuse(['footprint', 'writes'], 'a tool with read_only writes nothing: leave this list empty, or read_only out');
  });

const Http = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: 'give a URL that begins with https:// or http://' })
    .max(2_048, { error: 'at most 2048 characters' })
    .refine((url) => !hasUser(url), { error: 'leave out the user name and password: give a header instead' })
    .describe('Judged when it is called: only public addresses are reached.'),
  method: z.enum(['POST', 'PUT', 'PATCH'], { error: 'give POST, PUT or PATCH: every call has a body' }).default('POST'),
  headers: headerFields(/^idempotency-key$/i),
  timeout_ms: z
    .int({ error: 'give whole milliseconds' })
    .min(1, { error: 'give at least 1' })
    .max(600_000, { error: 'give at most 600000' })
    .default(60_000)
    .describe('Milliseconds until the whole answer must be there.'),
});

function hasUser(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.username !== '' || url.password !== '');
}

/** One entry of `tools.custom`. Whether its `input_schema` is one is for whoever compiles it to say. */
export const CustomTool = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-zA-Z0-9_-]{1,64}$/, { error: 'a name has 1 to 64 letters, digits, _ and -' })
      .refine((name) => !name.startsWith('mcp__'), { error: 'names that begin with mcp__ are for tools of MCP servers' }),
    description: z
      .string()
      .min(1, { error: 'say what the tool does: a model chooses by it' })
      .max(4_096, { error: 'at most 4096 characters' }),
    input_schema: z.looseObject({}, { error: 'give a JSON Schema object' }).describe('JSON Schema of an object.'),
    annotations: Annotations.prefault({}),
    defer: z
      .boolean({ error: 'give true or false' })
      .optional()
      .describe('True: the model gets the schema only when it looks for the tool. False: always.'),
    http: Http.optional().describe('The service calls it.'),
    client: z.literal(true, { error: 'give true, or leave it out' }).optional().describe('The client runs it.'),
  })
  .superRefine(({ http, client }, context) => {
    if ((http === undefined) !== (client === undefined)) return;
    const message =
      http === undefined
        ? 'say who runs it: "http": {"url": …} for the service, or "client": true for the client'
        : 'give http or client, not both';
    context.addIssue({ code: 'custom', message });
  });
export type CustomTool = z.output<typeof CustomTool>;
export type HttpSettings = z.output<typeof Http>;

/** All custom tools of a session. */
export const CustomTools = z
  .array(CustomTool)
  .max(MAX_TOOLS, { error: `at most ${MAX_TOOLS} tools` })
  .superRefine((tools, context) => {
    const fault = sizeFault(tools);
    if (fault !== null) context.addIssue({ code: 'custom', message: fault });
    const names = tools.map(({ name }) => name);
    for (const [index, name] of names.entries()) {
      if (names.indexOf(name) < index) context.addIssue({ code: 'custom', path: [index, 'name'], message: 'another tool has this name' });
    }
  });

function sizeFault(tools: readonly CustomTool[]): string | null {
  let values = 0;
  const count = (_key: string, value: unknown): unknown => {
    values += 1;
    return value;
  };
  try {
    const bytes = Buffer.byteLength(JSON.stringify(tools, count));
    if (bytes > MAX_BYTES) return `these are ${bytes} bytes of JSON together, and at most ${MAX_BYTES} can be: shorten the descriptions`;
  } catch {
    // Only depth can exhaust the stack here.
    return 'a schema is nested too deep: make it flatter';
  }
  return values > MAX_VALUES ? `their schemas hold more than ${MAX_VALUES} values together: make them smaller` : null;
}
