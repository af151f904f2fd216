// A schema of any of the three languages as JSON Schema, draft 2020-12.
import { createRequire } from 'node:module';
import { z } from 'zod';
import type { ZodTypeAny } from 'zod/v3';
import type * as ZodToJsonSchema from 'zod-to-json-schema';
import type { JsonSchema, Tool } from '../../contract/index.ts';
import { modernSchema } from './modern-schema.ts';
import { schemaKind } from './schema-kind.ts';
import { hasUnevaluated } from './schema-parts.ts';

const require = createRequire(import.meta.url);

/** Characters of a plain JSON Schema, as JSON: checking its input costs time in proportion. */
const MAX_CHARS = 65_536;
/** Values in it: each is code to be compiled. */
const MAX_VALUES = 2_000;
/** The same where `unevaluatedProperties` or `unevaluatedItems` is used: each of its parts must then tell what it knows. */
const MAX_UNEVALUATED_VALUES = 500;

/** As Zod 4 does it: every shape in its place, and only a strict object refuses further keys. */
const V3_OPTIONS = { target: 'jsonSchema7', removeAdditionalStrategy: 'strict', allowedAdditionalProperties: undefined } as const;

/**
 * @param io the side of a parser that is described: what it takes, or what it gives
 * @throws Error when the schema has no JSON form
 */
export function convertSchema(schema: Tool['inputSchema'], io: 'input' | 'output'): JsonSchema {
  const source = schemaKind(schema);
  switch (source.kind) {
    case 'json':
      return modernSchema(bounded(source.schema));
    case 'zod3':
      return modernSchema(fromZod3(source.schema));
    case 'zod':
      return modernSchema(z.toJSONSchema(source.schema, { target: 'draft-2020-12', io, metadata: z.registry(), override: describe }));
  }
}

function bounded(schema: JsonSchema): JsonSchema {
  let values = 0;
  const chars = JSON.stringify(schema, (_key, value: unknown) => {
    values += 1;
    return value;
  }).length;
  if (chars > MAX_CHARS) throw new Error(`it is ${chars} characters long as JSON, and at most ${MAX_CHARS} are taken`);
  const most = values > MAX_UNEVALUATED_VALUES && hasUnevaluated(schema) ? MAX_UNEVALUATED_VALUES : MAX_VALUES;
  if (values <= most) return schema;
  const why = most === MAX_VALUES ? '' : ' with unevaluatedProperties or unevaluatedItems';
  throw new Error(`it holds ${values} values, and at most ${most} are taken${why}: make it smaller`);
}

/** With references only where a shape holds itself: there the converter would otherwise allow anything. */
function fromZod3(schema: ZodTypeAny): JsonSchema {
  // Loaded for the first tool that brings such a schema along.
  const { zodToJsonSchema } = require('zod-to-json-schema') as typeof ZodToJsonSchema;
  const referring = zodToJsonSchema(schema, { ...V3_OPTIONS, $refStrategy: 'root' }) as JsonSchema;
  return isRecursive(referring, '#') ? referring : (zodToJsonSchema(schema, { ...V3_OPTIONS, $refStrategy: 'none' }) as JsonSchema);
}

/** Whether something in it refers to a place that it stands in. */
function isRecursive(value: unknown, path: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const reference: unknown = (value as JsonSchema)['$ref'];
  if (typeof reference === 'string' && (path === reference || path.startsWith(`${reference}/`))) return true;
  return Object.entries(value).some(([key, inner]) => isRecursive(inner, `${path}/${key}`));
}

/**
 * Adds descriptions and titles, but no id: an id would move the schema into `$defs` behind a root `$ref`, which models'
 * APIs refuse. That is why the conversion itself gets an empty registry. A schema of another copy of Zod knows its own.
 */
function describe({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  const own = 'meta' in zodSchema && typeof zodSchema.meta === 'function' ? (zodSchema.meta as () => JsonSchema | undefined)() : undefined;
  const { id: _, ...texts } = own ?? z.globalRegistry.get(zodSchema) ?? {};
  Object.assign(jsonSchema, texts);
}
