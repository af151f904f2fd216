// Older spellings of JSON Schema, and those of OpenAPI, in the words of draft 2020-12: the dialect that models' APIs check against.
import type { JsonSchema } from '../../contract/index.ts';
import { rewriteSchema } from './schema-parts.ts';

/** The same schema in draft 2020-12, without the names of its dialect and of its document. */
export function modernSchema(schema: JsonSchema): JsonSchema {
  const { $id: id, ...rest } = rewriteSchema(schema, modernPart);
  if (typeof id !== 'string') return rest;
  // References that name the document by its id mean the document itself.
  const document = `${id.replace(/#$/, '')}#`;
  return rewriteSchema(rest, (part) => {
    const reference = part['$ref'];
    return typeof reference === 'string' && reference.startsWith(document) ? { ...part, $ref: reference.slice(document.length - 1) } : part;
  });
}

function modernPart(part: JsonSchema): JsonSchema {
  return withoutNames(withTuple(withTypesOnce(withNull(withLimits(part)))));
}

/**
 * Without the name of the dialect, the name of the document as draft 4 gave it, and a word of one validator by which its
 * answer would be a promise.
 */
function withoutNames(part: JsonSchema): JsonSchema {
  const { $schema: _, $async: __, id, ...rest } = part;
  return id === undefined || typeof id === 'string' ? rest : { ...rest, id };
}

/** Up to draft 2019-09 a tuple was a list under `items`. */
function withTuple({ additionalItems, ...part }: JsonSchema): JsonSchema {
  if (!Array.isArray(part['items'])) return part;
  const { items, ...rest } = part;
  return { ...rest, ...(items.length > 0 && { prefixItems: items }), ...(additionalItems !== undefined && { items: additionalItems }) };
}

/** Converters name a type twice when two parts of a union have it, which no draft takes. */
function withTypesOnce(part: JsonSchema): JsonSchema {
  return Array.isArray(part['type']) ? { ...part, type: [...new Set(part['type'])] } : part;
}

/** OpenAPI 3.0 lets a value be null by a keyword of its own. */
function withNull(part: JsonSchema): JsonSchema {
  if (typeof part['nullable'] !== 'boolean') return part;
  const { nullable, ...rest } = part;
  const types = [rest['type'] ?? []].flat();
  if (!nullable || types.length === 0 || types.includes('null')) return rest;
  const values = rest['enum'];
  return { ...rest, type: [...types, 'null'], ...(Array.isArray(values) && !values.includes(null) && { enum: [...values, null] }) };
}

/** In draft 4 an exclusive limit was a flag beside the limit. */
function withLimits(part: JsonSchema): JsonSchema {
  const copy: Record<string, unknown> = { ...part };
  for (const [flag, limit] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    const exclusive = copy[flag];
    if (typeof exclusive !== 'boolean') continue;
    delete copy[flag];
    if (!exclusive || copy[limit] === undefined) continue;
    copy[flag] = copy[limit];
    delete copy[limit];
  }
  return copy;
}
