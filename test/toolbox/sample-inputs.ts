import type { JsonSchema } from '../../src/contract/index.ts';

const WRONG: readonly unknown[] = [null, true, 0, -1, 2.5, 1e17, '', 'text', 'x'.repeat(20_000), [], ['text'], [1], {}, { a: 1 }];

/** Inputs around an object schema: a least one, each property missing, each with values of every type, and extra ones. */
export function sampleInputs(schema: JsonSchema): unknown[] {
  const properties = (schema['properties'] ?? {}) as Record<string, JsonSchema>;
  const least = sampleValue(schema) as Record<string, unknown>;
  const full = Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, sampleValue(property)]));
  const samples: unknown[] = [least, full, { ...least, unheard_of: 1 }, null, [], 'text'];
  for (const name of Object.keys(properties)) {
    const { [name]: _, ...without } = full;
    samples.push(without, ...WRONG.map((value) => ({ ...full, [name]: value })));
  }
  return samples;
}

/** A value that the schema accepts, for the keywords that tools use. */
function sampleValue(schema: JsonSchema): unknown {
  const choice = (schema['anyOf'] ?? schema['oneOf']) as JsonSchema[] | undefined;
  if (choice?.[0]) return sampleValue(choice[0]);
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  switch ([schema['type']].flat()[0]) {
    case 'object': {
      const properties = (schema['properties'] ?? {}) as Record<string, JsonSchema>;
      return Object.fromEntries(((schema['required'] ?? []) as string[]).map((name) => [name, sampleValue(properties[name] ?? {})]));
    }
    case 'array':
      return Array.from({ length: Number(schema['minItems'] ?? 1) }, () => sampleValue((schema['items'] ?? {}) as JsonSchema));
    case 'integer':
    case 'number':
      return Math.max(Number(schema['minimum'] ?? 1), 1);
    case 'boolean':
      return true;
    default:
      return 'x'.repeat(Number(schema['minLength'] ?? 1));
  }
}
