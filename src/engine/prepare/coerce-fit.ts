// Whether a value is already what a schema asks for. Keywords that only narrow a type (ranges, lengths, patterns) are
// not looked at: a value that might be legal counts as legal, so that it is never touched.
import { isDeepStrictEqual } from 'node:util';
import { bounded, isObject, type Schema } from './coerce-bounded.ts';
import { conjuncts, elementSchema, memberSchema, unions } from './coerce-schema.ts';

type Check = (schema: unknown, value: unknown) => boolean;

export interface Judge {
  /** Whether the value itself has a right type, without a look at its members. */
  readonly fits: Check;
  /** Whether the value and all its members are right. */
  readonly accepts: Check;
  /** Whether the members by which a union tells its branches apart (`const`, `enum`) are right. */
  readonly matchesTags: Check;
  /** Whether the schema, or one that it is made of, names this member. */
  readonly declares: (schema: unknown, key: string) => boolean;
}

const TYPE_CHECKS: ReadonlyMap<unknown, (value: unknown) => boolean> = new Map([
  ['string', (value: unknown) => typeof value === 'string'],
  ['number', (value: unknown) => typeof value === 'number'],
  ['integer', (value: unknown) => Number.isInteger(value)],
  ['boolean', (value: unknown) => typeof value === 'boolean'],
  ['null', (value: unknown) => value === null],
  ['array', (value: unknown) => Array.isArray(value)],
  ['object', isObject],
]);

/** Judges by the schemas of one document; it remembers what it has judged, so the values must not change meanwhile. */
export function createJudge(root: Schema): Judge {
  function partsAllow(check: Check, schema: Schema, value: unknown): boolean {
    if (isNulled(schema, value)) return true;
    const together = conjuncts(root, schema).every((part) => check(part, value));
    return together && unions(schema).every((branches) => branches.some((branch) => check(branch, value)));
  }
  const fits = judging((schema, value) => fitsOwn(schema, value) && partsAllow(fits, schema, value));
  const accepts = judging(
    (schema, value) => fitsOwn(schema, value) && partsAllow(accepts, schema, value) && membersAllow(accepts, schema, value),
  );
  const matchesTags = judging(
    (schema, value) => tagsMatch(fits, schema, value) && conjuncts(root, schema).every((part) => matchesTags(part, value)),
  );
  const declaresAt = bounded(
    (schema, key) =>
      Object.hasOwn(propertiesOf(schema), String(key)) ||
      [...conjuncts(root, schema), ...unions(schema).flat()].some((part) => declares(part, String(key))),
    () => false,
  );
  const declares = (schema: unknown, key: string): boolean => isObject(schema) && declaresAt(schema, key);
  return { fits, accepts, matchesTags, declares };
}

/** Of what is no object schema, `false` allows nothing and the rest all; so do schemas that are too deep to judge. */
function judging(work: (schema: Schema, value: unknown) => boolean): Check {
  const judgeNode = bounded(work, () => true);
  return (schema, value) => (isObject(schema) ? judgeNode(schema, value) : schema !== false);
}

function membersAllow(check: Check, schema: Schema, value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item, index) => check(elementSchema(schema, index), item));
  if (!isObject(value)) return true;
  return (
    requiredOf(schema).every((key) => Object.hasOwn(value, key)) &&
    Object.entries(value).every(([key, member]) => check(memberSchema(schema, key), member))
  );
}

function tagsMatch(check: Check, schema: Schema, value: unknown): boolean {
  if (!isObject(value)) return true;
  const required = requiredOf(schema);
  return Object.entries(propertiesOf(schema)).every(
    ([key, member]) => !isTag(member) || (Object.hasOwn(value, key) ? check(member, value[key]) : !required.includes(key)),
  );
}

/** Whether the node's own `type`, `nullable`, `enum` and `const` allow the value. */
export function fitsOwn(schema: Schema, value: unknown): boolean {
  if (isNulled(schema, value)) return true;
  const { type } = schema;
  if (Array.isArray(type) ? type.length > 0 && !type.some((name) => isOfType(name, value)) : !isOfType(type, value)) return false;
  const allowed = schema['enum'];
  if (Array.isArray(allowed) && !allowed.some((option) => isSame(option, value))) return false;
  return !Object.hasOwn(schema, 'const') || isSame(schema['const'], value);
}

/** A type that JSON Schema does not know allows all. */
function isOfType(name: unknown, value: unknown): boolean {
  return TYPE_CHECKS.get(name)?.(value) ?? true;
}

/** Equality of JSON values, by which 0 and -0 are one. */
export function isSame(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === 'object' && isDeepStrictEqual(one, other));
}

function isNulled(schema: Schema, value: unknown): boolean {
  return value === null && schema['nullable'] === true;
}

function isTag(schema: unknown): boolean {
  return isObject(schema) && (Object.hasOwn(schema, 'const') || Array.isArray(schema['enum']));
}

function propertiesOf(schema: Schema): Readonly<Record<string, unknown>> {
  return isObject(schema['properties']) ? schema['properties'] : {};
}

function requiredOf(schema: Schema): string[] {
  const { required } = schema;
  return Array.isArray(required) ? required.filter((key) => typeof key === 'string') : [];
}
