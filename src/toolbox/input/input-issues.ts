// What every validator's complaints have in common: the value at a path, its type in words, and which branch of a union
// the input most likely meant.
import type { InputIssue } from '../../contract/index.ts';
import { FINITE_NUMBER, WHOLE_NUMBER } from './plain-words.ts';

/** Characters of a wrong value that are shown. */
const MAX_SHOWN = 60;

export type IssuePath = readonly (string | number)[];

/** The value at a path of own properties; `undefined` when there is none. */
export function valueAt(input: unknown, path: IssuePath): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string | number, unknown>)[key];
  }
  return value;
}

/** A JSON type in words: `null` and `array` apart from `object`. */
function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** A value that is not of the type asked for, or not there at all. */
export function mismatch(input: unknown, path: IssuePath, complaint: { expected: string; message: string }): InputIssue {
  const value = valueAt(input, path);
  if (value === undefined) return { kind: 'missing', path, ...complaint };
  // A number that is not the right kind of number: both types would have the same name.
  if (typeof value === 'number' && !Number.isFinite(value)) return { kind: 'other', path, message: FINITE_NUMBER };
  if (typeof value === 'number' && complaint.expected === 'integer') return { kind: 'other', path, message: WHOLE_NUMBER };
  return { kind: 'type', path, received: typeName(value), ...complaint };
}

/** A value that is none of a fixed set. */
export function notOneOf(input: unknown, path: IssuePath, complaint: { values: readonly unknown[]; message: string }): InputIssue {
  const expected = complaint.values.map((value) => JSON.stringify(value)).join(' | ');
  const issue = mismatch(input, path, { expected, message: complaint.message });
  if (issue.kind === 'missing') return issue;
  const value = valueAt(input, path);
  return typeof value === 'object' ? issue : { ...issue, received: JSON.stringify(value).slice(0, MAX_SHOWN) };
}

export function unexpected(path: IssuePath, key: string): InputIssue {
  return { kind: 'unexpected', path: [...path, key], message: `Unexpected parameter ${JSON.stringify(key)}.` };
}

/**
 * The issues of the union's branch that is nearest to the input: a branch of another type than the value is out, and of
 * the others the one with the fewest issues wins. When every branch is out, one issue names all their types.
 */
export function nearestBranch(
  input: unknown,
  path: IssuePath,
  union: { branches: readonly InputIssue[][]; message: string },
): InputIssue[] {
  const atRoot = (issue: InputIssue): boolean => issue.expected !== undefined && issue.path.length === path.length;
  const near = union.branches.filter((issues) => !issues.some(atRoot));
  const [best] = near.toSorted((left, right) => left.length - right.length);
  if (best) return best;
  const out = union.branches.flat().filter(atRoot);
  const expected = new Set(out.map((issue) => issue.expected));
  if (expected.size === 0) return [{ kind: 'other', path, message: union.message }];
  const issue = mismatch(input, path, { expected: [...expected].join(' | '), message: union.message });
  // A branch of the right type shows the value itself.
  const shown = out.find(({ received }) => received !== issue.received)?.received;
  return [issue.kind === 'type' && shown !== undefined ? { ...issue, received: shown } : issue];
}
