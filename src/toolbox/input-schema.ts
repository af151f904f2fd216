// The one place where a tool's input schema becomes the JSON Schema that the model sees.
import { z } from 'zod';
import { zodToJsonSchema } from 'zod-to-json-schema';
import type { JsonSchema, Tool } from '../contract/index.ts';
import { ToolDefinitionError } from '../contract/index.ts';
import { schemaKind } from './schema-kind.ts';

/** As Zod 4 does it: every shape in its place, and only a strict object refuses further keys. */
const V3_OPTIONS = {
  target: 'jsonSchema7',
  $refStrategy: 'none',
  removeAdditionalStrategy: 'strict',
  allowedAdditionalProperties: undefined,
} as const;

const known = new WeakMap<Tool, JsonSchema>();

/**
 * The same frozen object for every call with one tool.
 * @throws ToolDefinitionError when the schema has no JSON form or does not describe an object
 */
export function inputJsonSchema(tool: Tool): JsonSchema {
  let schema = known.get(tool);
  if (!schema) {
    schema = Object.freeze(asObjectSchema(tool, convert(tool)));
    known.set(tool, schema);
  }
  return schema;
}

function convert(tool: Tool): JsonSchema {
  const source = schemaKind(tool.inputSchema);
  if (source.kind === 'json') return source.schema;
  if (source.kind === 'zod3') return zodToJsonSchema(source.schema, V3_OPTIONS) as JsonSchema;
  try {
    return z.toJSONSchema(source.schema, { target: 'draft-7', io: 'input', metadata: z.registry(), override: describe });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ToolDefinitionError(`The inputSchema of tool ${tool.name} has no JSON Schema form: ${reason}`, { cause: error });
  }
}

/**
 * Adds descriptions and titles, but no id: an id would move the schema into `definitions` behind a root `$ref`, which
 * models' APIs refuse. That is why the conversion itself gets an empty registry.
 */
function describe({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  const { id: _, ...meta } = z.globalRegistry.get(zodSchema) ?? {};
  Object.assign(jsonSchema, meta);
}

function asObjectSchema(tool: Tool, schema: JsonSchema): JsonSchema {
  const { $schema: _, type = 'object', ...rest } = schema;
  if (![type].flat().includes('object')) {
    throw new ToolDefinitionError(`The inputSchema of tool ${tool.name} must describe an object, not ${JSON.stringify(type)}.`);
  }
  return { type: 'object', properties: {}, ...rest };
}
