// Tools that the client runs itself: how they are declared, and how they are run.
import type { ClientResult, SessionOptions } from './generated.ts';

type CustomTool = NonNullable<NonNullable<SessionOptions['tools']>['custom']>[number];
type Content = ClientResult['content'];
type JsonSchema = { readonly [key: string]: unknown };

/** What is needed of a schema library, such as zod: https://standardschema.dev */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly validate: (value: unknown) => Validation<Output> | Promise<Validation<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
    readonly jsonSchema?: { readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown> };
  };
}
type Validation<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] };

/** A zod schema (zod 4.2 and later), or a plain JSON Schema of an object. */
export type InputSchema<Input = unknown> = StandardSchema<Input> | JsonSchema;

export interface ClientToolContext {
  readonly toolUseId: string;
  /** Fires when the call has ended without its answer: aborted, timed out. */
  readonly signal: AbortSignal;
  /** Tells the other readers of the session how it goes on. Lost where no socket is open. */
  readonly progress: (data: unknown) => void;
}

/** What the model reads: text, blocks, or these with `is_error`. */
export type ClientToolResult = Content | { readonly content: Content; readonly is_error?: boolean };

export interface ClientTool<Input = never> {
  /** 1 to 64 letters, digits, `_` and `-`. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: InputSchema<Input>;
  readonly annotations?: CustomTool['annotations'];
  /** True: the model gets the schema only when it looks for the tool. */
  readonly defer?: boolean;
  /** What it throws becomes an error that the model reads. */
  readonly run: (input: Input, context: ClientToolContext) => ClientToolResult | Promise<ClientToolResult>;
}

/** A tool whose `run` gets the type of its schema, for lists such as `clientTools`. */
export function clientTool<Input = Record<string, unknown>>(tool: ClientTool<Input>): ClientTool<Input> {
  return tool;
}

/** A tool whatever its input is. */
export type AnyClientTool = Omit<ClientTool, 'inputSchema'> & { readonly inputSchema: InputSchema };

/** As the service wants to be told of it. @throws TypeError when its schema cannot be shown to a model */
export function declared({ name, description, inputSchema, annotations, defer }: AnyClientTool): CustomTool {
  return {
    name,
    description,
    input_schema: jsonSchemaOf(name, inputSchema),
    ...(annotations && { annotations }),
    ...(defer !== undefined && { defer }),
    client: true,
  };
}

function jsonSchemaOf(name: string, schema: InputSchema): Record<string, unknown> {
  if (!isStandard(schema)) return schema;
  const { jsonSchema } = schema['~standard'];
  if (jsonSchema !== undefined) return jsonSchema.input({ target: 'draft-2020-12' });
  throw new TypeError(`The schema of the tool ${name} cannot be made a JSON Schema: use zod 4.2 or later, or give a JSON Schema.`);
}

function isStandard(schema: InputSchema): schema is StandardSchema {
  return '~standard' in schema;
}

/** Runs a tool. What it throws, and input that its schema does not take, becomes an error that the model reads. */
export async function runClientTool(tool: AnyClientTool, input: unknown, context: ClientToolContext): Promise<ClientResult> {
  try {
    const taken = await validated(tool.inputSchema, input);
    if ('fault' in taken) return { content: taken.fault, is_error: true };
    // Its own schema has just taken it.
    const result = await tool.run(taken.value as never, context);
    if (typeof result === 'string' || Array.isArray(result)) return { content: result, is_error: false };
    return { content: result.content, is_error: result.is_error ?? false };
  } catch (error) {
    return { content: error instanceof Error ? error.message : String(error), is_error: true };
  }
}

/** A plain JSON Schema has been applied by the service. */
async function validated(schema: InputSchema, input: unknown): Promise<{ value: unknown } | { fault: string }> {
  if (!isStandard(schema)) return { value: input };
  const result = await schema['~standard'].validate(input);
  if (result.issues === undefined) return { value: result.value };
  const faults = result.issues.map(({ path = [], message }) => `${path.map(keyText).join('.') || 'input'}: ${message}`);
  return { fault: `The input is not valid. ${faults.join('; ')}` };
}

function keyText(part: unknown): string {
  return String(typeof part === 'object' && part !== null && 'key' in part ? part.key : part);
}
