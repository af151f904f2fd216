// One object schema for all the forms that references, unions and conjunctions at a root stand for.
import { resolvePointer, type JsonSchema } from '../../contract/index.ts';
import { type Fields, fieldsOf, fitAll, fitOne, OPEN, schemaOf } from './schema-fields.ts';
import { isSchema } from './schema-parts.ts';

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
  reading.partsLeft -= 1 + ['properties', 'patternProperties', 'required'].reduce((sum, key) => sum + lengthOf(schema[key]), 0);
  if (reading.partsLeft < 0) return OPEN;
  if (![schema['type'] ?? 'object'].flat().includes('object')) return undefined;
  const conjuncts = list(schema['allOf']).map((conjunct) => read(conjunct, reading, depth + 1));
  if (typeof schema['$ref'] === 'string') conjuncts.unshift(read(resolvePointer(reading.root, schema['$ref']), reading, depth + 1));
  for (const union of [list(schema['anyOf']), list(schema['oneOf'])]) {
    if (union.length > 0) conjuncts.push(readUnion(union, reading, depth + 1));
  }
  if (!conjuncts.every((conjunct) => conjunct !== undefined)) return undefined;
  const all = fitAll([fieldsOf(schema), ...conjuncts]);
  return schema['unevaluatedProperties'] === false && all.isWhole ? { ...all, additional: false } : all;
}

function readUnion(union: readonly unknown[], reading: Reading, depth: number): Fields | undefined {
  const branches = union.flatMap((branch) => read(branch, reading, depth) ?? []);
  if (branches.length > 1) reading.forms.push(...branches.map(formText));
  return branches.length > 0 ? fitOne(branches) : undefined;
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

function lengthOf(value: unknown): number {
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}
