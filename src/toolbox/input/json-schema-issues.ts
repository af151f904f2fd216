import type { ErrorObject } from 'ajv';
import type { InputIssue } from '../../contract/index.ts';
import type { IssuePath } from './input-issues.ts';
import { mismatch, nearestBranch, notOneOf, unexpected, valueAt } from './input-issues.ts';
import type { Bound, Measured } from './plain-words.ts';
import { atLeast, atMost, multipleOf, NO_FORM } from './plain-words.ts';

/** An error, with what models are told of it. */
interface Told {
  readonly error: ErrorObject;
  readonly issues: InputIssue[];
}

/** ajv's complaints about `input`, in its order; those of a union's branches, which stand in front of its own, are folded into one. */
export function fromAjvErrors(input: unknown, errors: readonly ErrorObject[]): InputIssue[] {
  const told: Told[] = [];
  for (const error of errors) {
    const outside = isUnion(error) ? told.findLastIndex((earlier) => !isWithin(earlier.error, error)) + 1 : told.length;
    const inside = told.splice(outside);
    told.push({ error, issues: inside.length > 0 && !fitsTwice(error) ? fromUnion(input, error, inside) : fromAjvError(input, error) });
  }
  return told.flatMap(({ issues }) => issues);
}

function fromAjvError(input: unknown, error: ErrorObject): InputIssue[] {
  const path = pointerPath(input, error.instancePath);
  const message = wordsOf(error);
  const params: Record<string, unknown> = error.params;
  switch (error.keyword) {
    case 'required':
    case 'dependencies':
    case 'dependentRequired':
      return [{ kind: 'missing', path: [...path, String(params['missingProperty'])], message }];
    case 'additionalProperties':
      return [unexpected(path, String(params['additionalProperty']))];
    case 'unevaluatedProperties':
      return [unexpected(path, String(params['unevaluatedProperty']))];
    case 'type':
      return [mismatch(input, path, { expected: [params['type']].flat().join(' | '), message })];
    case 'enum':
      return [notOneOf(input, path, { values: params['allowedValues'] as unknown[], message })];
    case 'const':
      return [notOneOf(input, path, { values: [params['allowedValue']], message })];
    default:
      return [{ kind: 'other', path, message }];
  }
}

const MEASURES: Readonly<Record<string, readonly [say: (bound: Bound) => string, measured: Measured]>> = {
  minLength: [atLeast, 'characters'],
  maxLength: [atMost, 'characters'],
  minItems: [atLeast, 'items'],
  maxItems: [atMost, 'items'],
  minProperties: [atLeast, 'keys'],
  maxProperties: [atMost, 'keys'],
  minimum: [atLeast, 'number'],
  maximum: [atMost, 'number'],
  exclusiveMinimum: [atLeast, 'number'],
  exclusiveMaximum: [atMost, 'number'],
};

function wordsOf({ keyword, message, params }: ErrorObject): string {
  const { limit, multipleOf: divisor }: Record<string, unknown> = params;
  const measure = MEASURES[keyword];
  if (measure && typeof limit === 'number') {
    const [say, measured] = measure;
    return say({ measured, limit, inclusive: !keyword.startsWith('exclusive') });
  }
  return keyword === 'multipleOf' ? multipleOf(divisor) : (message ?? `must satisfy ${keyword}`);
}

function fromUnion(input: unknown, union: ErrorObject, inside: readonly Told[]): InputIssue[] {
  const branches = Map.groupBy(inside, ({ error }) => error.schemaPath.slice(union.schemaPath.length + 1).split('/', 1)[0]);
  return nearestBranch(input, pointerPath(input, union.instancePath), {
    branches: [...branches.values()].map((told) => told.flatMap(({ issues }) => issues)),
    message: NO_FORM,
  });
}

function isUnion({ keyword }: ErrorObject): boolean {
  return keyword === 'anyOf' || keyword === 'oneOf';
}

/** The branches that do not fit are not what is wrong then. */
function fitsTwice({ params }: ErrorObject): boolean {
  return Array.isArray(params['passingSchemas']);
}

/** Whether it is about a branch of the union, and about the same value or a part of it. */
function isWithin({ schemaPath, instancePath }: ErrorObject, union: ErrorObject): boolean {
  return schemaPath.startsWith(`${union.schemaPath}/`) && `${instancePath}/`.startsWith(`${union.instancePath}/`);
}

/** A JSON pointer as keys: numbers where the value is an array. */
function pointerPath(input: unknown, pointer: string): IssuePath {
  const path: (string | number)[] = [];
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    path.push(Array.isArray(valueAt(input, path)) ? Number(key) : key);
  }
  return path;
}
