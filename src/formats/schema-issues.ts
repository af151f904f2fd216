// What a schema finds wrong in what was sent, as problems tell it: every fault with the path of the value or key itself.
import { z } from 'zod';
import { pathText, Problem, type ProblemIssue } from '../contract/index.ts';

/** Faults that one answer names. */
const MAX_ISSUES = 20;
/** Keys that an answer lists. */
const MAX_KEYS = 40;

/** A value as its schema gives it, or the problem that a wrong one is answered with. */
export type Checked<Value> = { readonly value: Value } | { readonly error: Problem };

/** @param what begins the problem's sentence, such as `The body is` */
export function checkForm<Schema extends z.ZodType>(schema: Schema, given: unknown, what: string): Checked<z.output<Schema>> {
  const parsed = schema.safeParse(given, { error: issueWords });
  if (parsed.success) return { value: parsed.data };
  const issues = schemaIssues(parsed.error);
  return { error: new Problem('invalid-request', `${what} not of the expected form; see errors.`, { issues }) };
}

/** What a schema found wrong, a line for each key that it does not know. */
function schemaIssues(error: z.ZodError): ProblemIssue[] {
  return error.issues.flatMap(issuesOf).slice(0, MAX_ISSUES);
}

function issuesOf(issue: z.core.$ZodIssue): ProblemIssue[] {
  const { path } = issue;
  // What is wrong with a key says the schema of the keys.
  const message = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? issue.message) : issue.message;
  if (issue.code !== 'unrecognized_keys') return [{ path: pathText(path), message }];
  return issue.keys.map((key) => ({ path: pathText([...path, key]), message }));
}

/** Says what to change, where the schema's own words would not. */
function issueWords(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'unrecognized_keys') return unknownKey(issue.inst);
  if (issue.code === 'invalid_union' && issue.discriminator !== undefined && Array.isArray(issue['options'])) {
    return `Give one of ${issue['options'].map((option) => JSON.stringify(option)).join(', ')}.`;
  }
  if (issue.code !== 'invalid_type') return undefined;
  if (issue.expected === 'object' || issue.expected === 'record') return 'Give a JSON object.';
  return issue.expected === 'int' || Number.isNaN(issue.input) ? 'Give a whole number.' : undefined;
}

function unknownKey(schema: unknown): string | undefined {
  if (!(schema instanceof z.ZodObject)) return undefined;
  const keys = Object.keys(schema.shape);
  if (keys.length === 0) return 'This key is not known: no key is, so leave it out.';
  const more = keys.length > MAX_KEYS ? ` and ${keys.length - MAX_KEYS} more` : '';
  return `This key is not known. Known here: ${keys.slice(0, MAX_KEYS).join(', ')}${more}.`;
}
