import type { InputIssue } from '../../contract/index.ts';
import type { IssuePath } from './input-issues.ts';
import { mismatch, nearestBranch, notOneOf, unexpected, valueAt } from './input-issues.ts';

/** An issue of Zod 4 or of `zod/v3`: the same idea under slightly different names. */
export interface ZodIssue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly expected?: unknown;
  readonly keys?: readonly string[];
  /** Zod 4's allowed values; `zod/v3` says `options`. */
  readonly values?: readonly unknown[];
  readonly options?: readonly unknown[];
  /** Branches of a union: Zod 4 gives paths from the union on, `zod/v3` whole ones. */
  readonly errors?: readonly (readonly ZodIssue[])[];
  readonly unionErrors?: readonly { readonly issues: readonly ZodIssue[] }[];
}

const TYPE_NAMES: Record<string, string> = { int: 'integer', record: 'object', tuple: 'array', map: 'object', set: 'array' };

/** Zod's complaints about `input`, one issue per wrong parameter. */
export function fromZodIssues(input: unknown, issues: readonly ZodIssue[], base: IssuePath = []): InputIssue[] {
  return issues.flatMap((issue) => fromZodIssue(input, issue, [...base, ...issue.path.map(asKey)]));
}

function fromZodIssue(input: unknown, issue: ZodIssue, path: IssuePath): InputIssue[] {
  const { message } = issue;
  switch (issue.code) {
    case 'invalid_type':
      return [mismatch(input, path, { expected: typeText(issue.expected), message })];
    case 'unrecognized_keys':
      return (issue.keys ?? []).map((key) => unexpected(path, key));
    case 'invalid_value':
    case 'invalid_enum_value':
    case 'invalid_union_discriminator':
      return [notOneOf(input, path, { values: issue.values ?? issue.options ?? [], message })];
    case 'invalid_literal':
      return [notOneOf(input, path, { values: [issue.expected], message })];
    case 'invalid_union':
      return fromUnion(input, issue, path);
    default:
      return [valueAt(input, path) === undefined ? { kind: 'missing', path, message } : { kind: 'other', path, message }];
  }
}

function fromUnion(input: unknown, issue: ZodIssue, path: IssuePath): InputIssue[] {
  const { message } = issue;
  if (issue.options) return [notOneOf(input, path, { values: issue.options, message })];
  const branches =
    issue.errors?.map((branch) => fromZodIssues(input, branch, path)) ??
    issue.unionErrors?.map((branch) => fromZodIssues(input, branch.issues)) ??
    [];
  return nearestBranch(input, path, { branches, message });
}

function typeText(expected: unknown): string {
  const name = String(expected);
  return Object.hasOwn(TYPE_NAMES, name) ? TYPE_NAMES[name]! : name.replaceAll("'", '"');
}

function asKey(key: PropertyKey): string | number {
  return typeof key === 'symbol' ? String(key) : key;
}
