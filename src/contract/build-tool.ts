import type { z } from 'zod';
import type { JsonSchema } from './json-schema.ts';
import type { Tool, ToolResult } from './tool.ts';
import type { View } from './view.ts';

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** Characters of a result that the model gets before the rest goes to a file. */
export const DEFAULT_MAX_RESULT_CHARS = 50_000;
/** Milliseconds that a tool without a limit of its own may run. */
export const DEFAULT_TIMEOUT_MS = 600_000;

type Required_ = 'name' | 'inputSchema' | 'description' | 'call';
type SchemaInput<Schema> = Schema extends z.ZodType ? z.output<Schema> : Record<string, unknown>;

/** What an author writes: identity, schema, description and call; all else has a default that fails closed. */
export type ToolDefinition<Schema extends z.ZodType | JsonSchema, Output, Progress> = { readonly inputSchema: Schema } & Pick<
  Tool<SchemaInput<Schema>, Output, Progress>,
  Exclude<Required_, 'inputSchema'>
> &
  Partial<Omit<Tool<SchemaInput<Schema>, Output, Progress>, Required_>>;

/** A tool definition that cannot be registered; the message says what to change. */
export class ToolDefinitionError extends Error {
  override readonly name = 'ToolDefinitionError';
}

/**
 * Lays the fail-closed defaults first, then the definition; a key given as `undefined` does not erase a default.
 * @throws ToolDefinitionError when name, schema, description or call is missing or malformed.
 */
export function buildTool<Schema extends z.ZodType | JsonSchema, Output = unknown, Progress = unknown>(
  definition: ToolDefinition<Schema, Output, Progress>,
): Tool<SchemaInput<Schema>, Output, Progress> {
  const given = Object.fromEntries(Object.entries(definition).filter(([, value]) => value !== undefined));
  assertDefinition(given);
  const tool: object = { ...defaults(definition.name, (input) => titleOf(given['renderUse'], input)), ...given };
  return Object.freeze(tool) as unknown as Tool<SchemaInput<Schema>, Output, Progress>;
}

function assertDefinition(given: Record<string, unknown>): void {
  const name = given['name'];
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw new ToolDefinitionError(`A tool's name must match ${NAME.source}, got ${JSON.stringify(name) ?? 'none'}.`);
  }
  if (typeof given['inputSchema'] !== 'object' || given['inputSchema'] === null) {
    throw new ToolDefinitionError(`Tool ${name} has no inputSchema: give a Zod schema or a JSON Schema object.`);
  }
  for (const key of ['description', 'call']) {
    if (typeof given[key] !== 'function') throw new ToolDefinitionError(`Tool ${name} has no ${key} function.`);
  }
}

/** The title that the tool itself gives a call before it runs; `undefined` when it gives none. */
function titleOf(renderUse: unknown, input: unknown): string | undefined {
  try {
    return typeof renderUse === 'function' ? (renderUse as Tool['renderUse'])(input).title : undefined;
  } catch {
    // The view of a result must not be lost because that of the call cannot be drawn.
    return undefined;
  }
}

/** @param callTitle the title of one call, where the tool draws calls itself */
function defaults(name: string, callTitle: (input: unknown) => string | undefined): Omit<Tool, Required_> {
  const titled = (body?: string, title = name): View => (body ? { title, body: { kind: 'text', text: body } } : { title });
  return {
    aliases: [],
    searchHint: '',
    userFacingName: () => name,
    isEnabled: () => true,
    isConcurrencySafe: () => false,
    isReadOnly: () => false,
    isDestructive: () => false,
    checkPermissions: (input) => ({ behavior: 'allow', input }),
    permissionSubjects: () => [{ kind: 'other' }],
    toAutoClassifierInput: () => '',
    maxResultChars: DEFAULT_MAX_RESULT_CHARS,
    timeoutMs: DEFAULT_TIMEOUT_MS,
    interruptBehavior: 'cancel',
    abortsSiblings: false,
    effect: () => 'once',
    shouldDefer: false,
    alwaysLoad: false,
    renderUse: () => titled(),
    renderProgress: (data) => titled(typeof data === 'string' ? data : JSON.stringify(data)),
    renderResult: (input, { content }: ToolResult) => titled(typeof content === 'string' ? content : undefined, callTitle(input)),
    renderRejected: (input, reason) => ({ ...titled(reason, callTitle(input)), subtitle: 'not allowed' }),
    renderError: (_input, message) => ({ ...titled(message), subtitle: 'failed' }),
    renderGroup: (inputs) => ({ title: name, subtitle: `${inputs.length} calls` }),
  };
}
