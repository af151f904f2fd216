// Models' APIs want a plain object at the root of a schema: no reference and no union. What such a root says is told as one
// object with all the parameters of all its forms. It accepts what the forms accept with their own parameters, and more; the
// validator goes on judging by the schema as it was written.
import type { JsonSchema } from '../../contract/index.ts';
import { mergedForms } from './merged-forms.ts';
import { DEFINITIONS, referencesOf, rewriteSchema } from './schema-parts.ts';

const REFUSED = ['$ref', '$dynamicRef', 'anyOf', 'oneOf', 'allOf', 'enum', 'const', 'not'];

export interface PlainRoot {
  readonly schema: JsonSchema;
  /** The forms of an input that the schema no longer tells apart, one short text each. */
  readonly forms: readonly string[];
}

export function plainRoot(schema: JsonSchema): PlainRoot {
  if (!REFUSED.some((keyword) => keyword in schema)) return { schema, forms: [] };
  const { object, forms } = mergedForms(schema);
  const definitions = Object.fromEntries(DEFINITIONS.flatMap((key) => (key in schema ? [[key, schema[key]]] : [])));
  return { schema: keepReferences({ ...object, ...definitions }, schema), forms };
}

/** References into the root find it, as it was written, among the definitions. */
function keepReferences(plain: JsonSchema, written: JsonSchema): JsonSchema {
  if (!referencesOf(plain).some(pointsIntoRoot)) return plain;
  const definitions = plain['$defs'] as JsonSchema | undefined;
  const name = ['root', 'root_', 'root__'].find((free) => !Object.hasOwn(definitions ?? {}, free)) ?? 'the whole input';
  const root = Object.fromEntries(Object.entries(written).filter(([key]) => !DEFINITIONS.includes(key)));
  return rewriteSchema({ ...plain, $defs: { ...definitions, [name]: root } }, (part) => {
    const reference = part['$ref'];
    return typeof reference === 'string' && pointsIntoRoot(reference) ? { ...part, $ref: `#/$defs/${name}${reference.slice(1)}` } : part;
  });
}

function pointsIntoRoot(reference: string): boolean {
  return reference === '#' || (reference.startsWith('#/') && !DEFINITIONS.some((key) => reference.startsWith(`#/${key}/`)));
}
