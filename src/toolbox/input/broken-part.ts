// What is well-formed in a schema and still cannot be used: its parts are walked through as a validator would do it, along
// their references.
import type { JsonSchema } from '../../contract/index.ts';
import { innerSchemas, isSchema } from '../schemas/schema-parts.ts';
import { schemaPlaces, type SchemaPlaces } from '../schemas/schema-places.ts';

/** Schemas inside of schemas, and behind references: the compiler goes as deep, and has a stack. */
const MAX_DEPTH = 150;
/** References that are told of a circle, and characters of each. */
const MAX_TOLD = 5;
const MAX_REFERENCE_CHARS = 200;

/** Keywords whose schemas judge the same value as the one that they stand in. */
const SAME_VALUE = new Set(['allOf', 'anyOf', 'dependencies', 'dependentSchemas', 'else', 'if', 'not', 'oneOf', 'then']);
/** What only a compiler follows with certainty. */
const NAMES = ['$id', '$anchor', '$dynamicAnchor', '$dynamicRef'];
/** A reference in signs that an address must write in another way. */
const ODD_REFERENCE = /^#.*[^\w$.~/-]/;

export interface SchemaLook {
  /** As a sentence. */
  readonly fault?: string;
  /** Whether only a compiler can tell if there is more. */
  readonly needsCompiler: boolean;
}

export function lookThrough(schema: JsonSchema): SchemaLook {
  const places = schemaPlaces(schema);
  const parts = partsOf(schema, places);
  if (parts === undefined) {
    const fault = `its input schema is nested more than ${MAX_DEPTH} deep, along its references: make it flatter`;
    return { fault, needsCompiler: false };
  }
  const needsCompiler = parts.some(
    (part) => !places.has(part) || NAMES.some((name) => name in part) || ODD_REFERENCE.test(String(part['$ref'])),
  );
  const fault = (needsCompiler ? undefined : lostReference(parts, places)) ?? circle(parts, places) ?? emptyChoice(parts);
  return { needsCompiler, ...(fault !== undefined && { fault }) };
}

/** All schemas in it, and all that its references lead to; `undefined` when they are nested too deep. */
function partsOf(root: JsonSchema, places: SchemaPlaces): readonly JsonSchema[] | undefined {
  const found = new Set<JsonSchema>();
  const isFlat = (part: JsonSchema, depth: number): boolean => {
    if (found.has(part)) return true;
    found.add(part);
    const next = [...innerSchemas(part).map(([, inner]) => inner), ...referredTo(part, places).map(([, target]) => target)];
    return depth <= MAX_DEPTH && next.every((inner) => !isSchema(inner) || isFlat(inner, depth + 1));
  };
  return isFlat(root, 1) ? [...found] : undefined;
}

function referredTo(part: JsonSchema, places: SchemaPlaces): [reference: string, target: unknown][] {
  const references = [part['$ref'], part['$dynamicRef']].filter((reference) => typeof reference === 'string');
  return references.map((reference) => [reference, places.resolve(reference, part)]);
}

function lostReference(parts: readonly JsonSchema[], places: SchemaPlaces): string | undefined {
  for (const part of parts) {
    const lost = referredTo(part, places).find(([, target]) => !isSchema(target) && typeof target !== 'boolean');
    if (lost) return `its input schema refers to ${lost[0].slice(0, MAX_REFERENCE_CHARS)}, which is not in it`;
  }
  return undefined;
}

/** References that come back to where they started with the same value in hand: no input is ever judged. */
function circle(parts: readonly JsonSchema[], places: SchemaPlaces): string | undefined {
  const done = new Set<JsonSchema>();
  const path = new Map<JsonSchema, string>();
  const follow = (part: JsonSchema, reference: string): readonly string[] | undefined => {
    if (path.has(part)) return [...path.values()].slice([...path.keys()].indexOf(part) + 1).concat(reference);
    if (done.has(part)) return undefined;
    path.set(part, reference);
    for (const [next, target] of sameValue(part, places)) {
      const found = follow(target, next);
      if (found) return found;
    }
    path.delete(part);
    done.add(part);
    return undefined;
  };
  for (const part of parts) {
    const found = follow(part, '')?.filter((reference) => reference !== '');
    if (!found) continue;
    const told = found.slice(0, MAX_TOLD).map((reference) => reference.slice(0, MAX_REFERENCE_CHARS));
    return `its input schema refers to itself without an end: ${[...told, ...(found.length > MAX_TOLD ? ['…'] : [])].join(' → ')}`;
  }
  return undefined;
}

/** What also judges the value that a part judges, with the reference that leads there or an empty text. */
function sameValue(part: JsonSchema, places: SchemaPlaces): [reference: string, target: JsonSchema][] {
  const isRead = (keyword: string): boolean => SAME_VALUE.has(keyword) && ('if' in part || (keyword !== 'then' && keyword !== 'else'));
  const inner = innerSchemas(part).filter(([keyword]) => isRead(keyword));
  const named = referredTo(part, places).flatMap(([reference, target]): [string, JsonSchema][] =>
    isSchema(target) ? [[reference, target]] : [],
  );
  return [...inner.map(([, target]): [string, JsonSchema] => ['', target]), ...named];
}

function emptyChoice(parts: readonly JsonSchema[]): string | undefined {
  const isEmpty = ({ enum: values }: JsonSchema): boolean => Array.isArray(values) && values.length === 0;
  return parts.some(isEmpty) ? 'its input schema has a list of values (enum) without any' : undefined;
}
