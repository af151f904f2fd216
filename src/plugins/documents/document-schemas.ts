// JSON Schemas as people read them: without what Zod adds for machines, or says again.
import { z } from 'zod';

/** For `override` of `z.toJSONSchema`. Objects stay open where new keys may come later; strict ones stay strict. */
export function tidySchema({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (zodSchema instanceof z.ZodObject && zodSchema.def.catchall === undefined) delete jsonSchema.additionalProperties;
  if (zodSchema instanceof z.ZodUndefined) jsonSchema.not = {};
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (zodSchema instanceof z.ZodRecord && isPlainKey(jsonSchema.propertyNames)) delete jsonSchema.propertyNames;
  delete jsonSchema.readOnly;
}

/** Keys of JSON objects are strings anyway. */
function isPlainKey(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && Object.keys(schema).join() === 'type';
}

/** Names of the schemas that a part of a document refers to, through others too. */
export function referredSchemas(part: unknown, schemas: Readonly<Record<string, unknown>>): Set<string> {
  const found = new Set<string>();
  const look = (value: unknown): void => {
    for (const [, name] of (JSON.stringify(value) ?? '').matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)) {
      if (name === undefined || found.has(name)) continue;
      found.add(name);
      look(schemas[name]);
    }
  };
  look(part);
  return found;
}

export function schemaRef(name: string): { $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}
