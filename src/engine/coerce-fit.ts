// Whether a value is already what a schema asks for. Keywords that only narrow a type (ranges, lengths, patterns) are
// not looked at: a value that might be legal counts as legal, so that it is never touched.
import { isDeepStrictEqual } from 'node:util';
import { bounded, isObject, type Schema } from './coerce-bounded.ts';
import { conjuncts, elementSchema, memberSchema, unions } from './coerce-schema.ts';

export interface Judge {
  /** Whether the value itself has a right type, without a look at its members. */
  fits(schema: unknown, value: unknown): boolean;
  /** Whether the value and all its members are right. */
  accepts(schema: unknown, value: unknown): boolean;
  /** Whether the members by which a union tells its branches apart (`const`, `enum`) are right. */
  matchesTags(schema: unknown, value: unknown): boolean;
  /** Whether the schema, or one that it is made of, names this member. */
  declares(schema: unknown, key: string): boolean;
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
  const yes = (): boolean => true;
  const judge: Judge = {
    fits: onNodes(bounded((schema, value) => fitsOwn(schema, value) && partsAllow(judge.fits, schema, value), yes)),
    accepts: onNodes(
      bounded(
        (schema, value) => fitsOwn(schema, value) && partsAllow(judge.accepts, schema, value) && membersAllow(judge.accepts, schema, value),
        yes,
      ),
    ),
    matchesTags: onNodes(
      bounded(
        (schema, value) => tagsMatch(judge.fits, schema, value) && conjuncts(root, schema).every((part) => judge.matchesTags(part, value)),
        yes,
      ),
    ),
    declares: (schema, key) => isObject(schema) && declaresAt(schema, key),
  };
  const declaresAt = bounded(
    (schema, key) =>
      Object.hasOwn(propertiesOf(schema), key as string) ||
      [...conjuncts(root, schema), ...unions(schema).flat()].some((part) => judge.declares(part, key as string)),
    () => false,
  );

  function partsAllow(check: Check, schema: Schema, value: unknown): boolean {
    if (isNulled(schema, value)) return true;
    return (
      conjuncts(root, schema).every((part) => check(part, value)) &&
      unions(schema).every((branches) => branches.some((branch) => check(branch, value)))
    );
  }
  return judge;
}

type Check = (schema: unknown, value: unknown) => boolean;

/** What is no object schema allows all, or with `false` nothing. */
function onNodes(check: (schema: Schema, value: unknown) => boolean): Check {
  return (schema, value) => (isObject(schema) ? check(schema, value) : schema !== false);
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
  const checks = [schema['type']].flat().map((name) => TYPE_CHECKS.get(name));
  if (checks.length > 0 && !checks.some((check) => check === undefined || check(value))) return false;
  const allowed = schema['enum'];
  if (Array.isArray(allowed) && !allowed.some((option) => isSame(option, value))) return false;
  return !Object.hasOwn(schema, 'const') || isSame(schema['const'], value);
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
