// A tool's schema as models' APIs take it. Each refuses a whole request for one keyword it does not take, so what cannot be
// said in a schema is said in words. What is exported may accept more than the validator, never less.
import type { JsonSchema, Tool } from '../../contract/index.ts';
import { convertSchema } from './convert-schema.ts';
import { inputJsonSchema } from './input-schema.ts';
import { plainRoot } from './plain-root.ts';
import { isSchema, rewriteSchema } from './schema-parts.ts';

/** Characters of the forms that are told in words. */
const MAX_FORMS_CHARS = 1_500;
/** Characters of one parameter's schema that are told in words. */
const MAX_UNLISTED_CHARS = 300;
/** What Anthropic's API takes as the name of a parameter at the root. */
const LISTED_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

/** Keywords that may make items known, of which `unevaluatedItems` then says nothing. */
const KNOWS_ITEMS = ['$dynamicRef', '$ref', 'allOf', 'anyOf', 'contains', 'dependencies', 'dependentSchemas', 'if', 'not', 'oneOf'];

export interface ExportSchema {
  readonly schema: JsonSchema;
  /** What the schema cannot say, for the description. */
  readonly notes: readonly string[];
}

const known = new WeakMap<Tool, ExportSchema>();

/** @throws ToolDefinitionError as `inputJsonSchema` */
export function exportSchema(tool: Tool): ExportSchema {
  let exported = known.get(tool);
  if (!exported) {
    const { schema, forms } = plainRoot(inputJsonSchema(tool));
    exported = { schema: rewriteSchema(schema, spellOut), notes: forms.length > 0 ? [formsNote(forms)] : [] };
    known.set(tool, exported);
  }
  return exported;
}

/** Of what the tool gives; `undefined` where it says nothing of it, or it is no object. */
export function outputJsonSchema(tool: Tool): JsonSchema | undefined {
  if (tool.outputSchema === undefined) return undefined;
  try {
    const schema = rewriteSchema(convertSchema(tool.outputSchema, 'output'), spellOut);
    return schema['type'] === 'object' ? schema : undefined;
  } catch {
    // A result that cannot be described is still a result.
    return undefined;
  }
}

/** OpenAI's API wants `items` in every array, and MCP's types an object for every parameter. */
function spellOut(part: JsonSchema): JsonSchema {
  const properties = part['properties'];
  const named = isSchema(properties) && Object.values(properties).some((value) => typeof value === 'boolean');
  const spelt = named
    ? { ...part, properties: Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, asObject(value)])) }
    : part;
  return isArray(spelt) ? { ...spelt, ...itemsOf(spelt) } : spelt;
}

function isArray(part: JsonSchema): boolean {
  return 'prefixItems' in part || [part['type']].flat().includes('array');
}

function itemsOf(part: JsonSchema): JsonSchema {
  const { prefixItems, maxItems, unevaluatedItems = true } = part;
  const { items = KNOWS_ITEMS.some((key) => key in part) ? true : unevaluatedItems } = part;
  if (items !== false) return { items: asObject(items) };
  const length = Array.isArray(prefixItems) ? prefixItems.length : 0;
  return { items: {}, maxItems: typeof maxItems === 'number' ? Math.min(maxItems, length) : length };
}

function asObject(schema: unknown): unknown {
  if (typeof schema !== 'boolean') return schema;
  return schema ? {} : { not: {} };
}

function formsNote(forms: readonly string[]): string {
  let told = 0;
  let chars = 0;
  while (told < forms.length && (chars += (forms[told] ?? '').length) <= MAX_FORMS_CHARS) told += 1;
  const more = told < forms.length ? [`${forms.length - told} more`] : [];
  return `The input takes one of these forms (? marks what may be left out): ${[...forms.slice(0, told), ...more].join(' or ')}.`;
}

/** Parameters whose names Anthropic's API refuses are taken all the same: they are told in words. */
export function anthropicSchema(tool: Tool): ExportSchema {
  const { schema, notes } = exportSchema(tool);
  const properties = Object.entries(isSchema(schema['properties']) ? schema['properties'] : {});
  const odd = properties.filter(([name]) => !LISTED_NAME.test(name));
  if (odd.length === 0) return { schema, notes };
  const { additionalProperties: _, required, ...rest } = schema;
  const names = new Set(odd.map(([name]) => name));
  const listed = Array.isArray(required) ? required.filter((name) => !names.has(name as string)) : [];
  const told = odd.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value).slice(0, MAX_UNLISTED_CHARS)}`);
  return {
    schema: {
      ...rest,
      properties: Object.fromEntries(properties.filter(([name]) => !names.has(name))),
      ...(listed.length > 0 && { required: listed }),
    },
    notes: [...notes, `Parameters that the schema cannot name are also taken: ${told.join('; ')}.`],
  };
}
