// The one place where a tool's input schema becomes JSON Schema: what coercion, validation and the exports start from.
import { messageOf, type JsonSchema, type Tool } from '../../contract/index.ts';
import { ToolDefinitionError } from '../../contract/index.ts';
import { convertSchema } from './convert-schema.ts';

/** The input schema of a tool, and the name that errors tell. */
export type NamedSchema = Pick<Tool, 'name' | 'inputSchema'>;

const known = new WeakMap<NamedSchema, JsonSchema>();

/**
 * The same frozen object for every call with one tool, in draft 2020-12.
 * @throws ToolDefinitionError when the schema has no JSON form or does not describe an object
 */
export function inputJsonSchema(tool: NamedSchema): JsonSchema {
  let schema = known.get(tool);
  if (!schema) {
    schema = Object.freeze(asObjectSchema(tool, convert(tool)));
    known.set(tool, schema);
  }
  return schema;
}

function convert(tool: NamedSchema): JsonSchema {
  try {
    return convertSchema(tool.inputSchema, 'input');
  } catch (error) {
    const reason = messageOf(error);
    throw new ToolDefinitionError(`The inputSchema of tool ${tool.name} has no usable JSON form: ${reason}`, { cause: error });
  }
}

function asObjectSchema(tool: NamedSchema, schema: JsonSchema): JsonSchema {
  const { type = 'object', ...rest } = schema;
  if (![type].flat().includes('object')) {
    throw new ToolDefinitionError(`The inputSchema of tool ${tool.name} must describe an object, not ${JSON.stringify(type)}.`);
  }
  return { type: 'object', properties: {}, ...rest };
}
