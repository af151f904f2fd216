import type { z } from 'zod';
import type { JsonSchema, Tool, ToolResult } from './tool.ts';
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
  return Object.freeze({ ...defaults(definition.name), ...given }) as unknown as Tool<SchemaInput<Schema>, Output, Progress>;
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

function defaults(name: string): Omit<Tool, Required_> {
  const titled = (body?: string): View => (body ? { title: name, body: { kind: 'text', text: body } } : { title: name });
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
    renderResult: (_input, result: ToolResult) => titled(typeof result.content === 'string' ? result.content : undefined),
    renderRejected: (_input, reason) => ({ ...titled(reason), subtitle: 'not allowed' }),
    renderError: (_input, message) => ({ ...titled(message), subtitle: 'failed' }),
    renderGroup: (inputs) => ({ title: name, subtitle: `${inputs.length} calls` }),
  };
}
