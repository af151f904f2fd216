/** JSON Schema (draft 7 or later) as a plain object. */
export type JsonSchema = { readonly [key: string]: unknown };
