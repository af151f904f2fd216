import type { z } from 'zod';
import type { ZodTypeAny } from 'zod/v3';
import type { JsonSchema, Tool } from '../../contract/index.ts';

/** Which of the three languages a tool's schema is written in. */
export type SchemaKind =
  | { readonly kind: 'zod'; readonly schema: z.ZodType }
  | { readonly kind: 'zod3'; readonly schema: ZodTypeAny }
  | { readonly kind: 'json'; readonly schema: JsonSchema };

/** Zod 4 marks its schemas with `_zod`, and `zod/v3` with `_def`; both have a parser, which no JSON Schema has, whatever its keys. */
export function schemaKind(schema: Tool['inputSchema']): SchemaKind {
  const parses = 'safeParse' in schema && typeof schema.safeParse === 'function';
  if (parses && '_zod' in schema) return { kind: 'zod', schema: schema as z.ZodType };
  if (parses && '_def' in schema) return { kind: 'zod3', schema: schema as unknown as ZodTypeAny };
  return { kind: 'json', schema: schema as JsonSchema };
}
