// Models send the wrong types: "5" for 5, "[1]" for [1], "a" for ["a"]. What can be read in exactly one way is repaired.
import { pathText, type JsonSchema } from '../../contract/index.ts';
import { isObject } from './coerce-bounded.ts';
import { repair } from './coerce-repair.ts';

export interface Coercion {
  /** The object that was given when nothing had to change; else a copy that shares what did not change. */
  readonly input: unknown;
  /** Paths, like `todos[0].n`, of the values that were replaced; `(input)` is the whole. */
  readonly coerced: string[];
}

/**
 * Repairs the types of an input by its JSON Schema. A value that already validates is never touched, and a repair is
 * kept only when its result is of the type that the schema asks for. Never rounds, invents, removes or mutates.
 */
export function coerce(schema: JsonSchema, input: unknown): Coercion {
  const repaired = repair(schema, input);
  return { input: repaired, coerced: changedPaths(input, repaired, []) };
}

function changedPaths(before: unknown, after: unknown, path: (string | number)[]): string[] {
  if (before === after) return [];
  if (Array.isArray(before) && Array.isArray(after)) {
    return after.flatMap((item: unknown, index) => changedPaths(before[index], item, [...path, index]));
  }
  if (isObject(before) && isObject(after)) {
    return Object.entries(after).flatMap(([key, member]) => changedPaths(before[key], member, [...path, key]));
  }
  return [pathText(path) || '(input)'];
}
