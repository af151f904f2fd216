// One object schema for all the forms that references, unions and conjunctions at a root stand for.
import type { JsonSchema } from '../contract/index.ts';
import { bothFields, eitherFields, type Fields, fieldsOf, OPEN, schemaOf } from './schema-fields.ts';
import { isSchema, resolvePointer } from './schema-parts.ts';

/** Schemas and parameters that are looked at; what lies beyond them counts as allowing anything. */
const MAX_PARTS = 5_000;
const MAX_DEPTH = 16;

interface Reading {
  readonly root: JsonSchema;
  partsLeft: number;
  readonly forms: string[];
}

export interface MergedForms {
  readonly object: JsonSchema;
  /** The forms of each union, as in `{kind: "dot", size?}`. */
  readonly forms: readonly string[];
}

export function mergedForms(root: JsonSchema): MergedForms {
  const reading: Reading = { root, partsLeft: MAX_PARTS, forms: [] };
  const fields = read(root, reading, 0) ?? OPEN;
  return { object: schemaOf(fields), forms: [...new Set(reading.forms)] };
}

/** @returns `undefined` when no object fits */
function read(schema: unknown, reading: Reading, depth: number): Fields | undefined {
  if (schema === false) return undefined;
  if (!isSchema(schema) || depth > MAX_DEPTH) return OPEN;
  reading.partsLeft -= 1 + Object.keys(schema['properties'] ?? {}).length;
  if (reading.partsLeft < 0) return OPEN;
  if (![schema['type'] ?? 'object'].flat().includes('object')) return undefined;
  const conjuncts = [...list(schema['allOf'])];
  if (typeof schema['$ref'] === 'string') conjuncts.unshift(resolvePointer(reading.root, schema['$ref']));
  let all: Fields | undefined = fieldsOf(schema);
  for (const conjunct of conjuncts) {
    const other = read(conjunct, reading, depth + 1);
    all = all && other && bothFields(all, other);
  }
  for (const union of [list(schema['anyOf']), list(schema['oneOf'])]) {
    if (union.length === 0) continue;
    const one = readUnion(union, reading, depth + 1);
    all = all && one && bothFields(all, one);
  }
  return all;
}

function readUnion(union: readonly unknown[], reading: Reading, depth: number): Fields | undefined {
  const branches = union.flatMap((branch) => read(branch, reading, depth) ?? []);
  if (branches.length > 1) reading.forms.push(...branches.map(formText));
  return branches.length > 0 ? branches.reduce(eitherFields) : undefined;
}

function formText({ properties, required }: Fields): string {
  const names = new Set([...properties.keys(), ...required]);
  return `{${[...names].map((name) => fieldText(name, properties.get(name), required.has(name))).join(', ')}}`;
}

function fieldText(name: string, schema: unknown, required: boolean): string {
  const value = isSchema(schema) && 'const' in schema ? `: ${JSON.stringify(schema['const'])}` : '';
  return `${name}${required ? '' : '?'}${value}`;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
