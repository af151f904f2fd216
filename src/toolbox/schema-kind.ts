import type { z } from 'zod';
import type { ZodTypeAny } from 'zod/v3';
import type { JsonSchema, Tool } from '../contract/index.ts';

/** Which of the three languages a tool's schema is written in. */
export type SchemaKind =
  | { readonly kind: 'zod'; readonly schema: z.ZodType }
  | { readonly kind: 'zod3'; readonly schema: ZodTypeAny }
  | { readonly kind: 'json'; readonly schema: JsonSchema };

/** Zod 4 marks its schemas with `_zod`; a schema of `zod/v3` has a `_def` and a parser instead. */
export function schemaKind(schema: Tool['inputSchema']): SchemaKind {
  if ('_zod' in schema) return { kind: 'zod', schema: schema as z.ZodType };
  if ('_def' in schema && typeof schema['safeParse'] === 'function') return { kind: 'zod3', schema: schema as unknown as ZodTypeAny };
  return { kind: 'json', schema };
}
