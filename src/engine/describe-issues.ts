// Says what is wrong with an input in words that a model can act on: all of it, grouped by what has to be done.
import type { InputIssue } from '../contract/catalog.ts';

const MAX_ISSUES = 50;
const MAX_WORDS = 300;
const PLAIN_KEY = /^[\p{L}_$-][\p{L}\p{N}_$-]*$/u;
const ORDER = ['missing', 'unexpected', 'type', 'other'] as const satisfies readonly InputIssue['kind'][];

/** The text `InputValidationError: …` with one line an issue, at most 50 of them. */
export function describeIssues(issues: readonly InputIssue[]): string {
  const sorted = ORDER.flatMap((kind) => issues.filter((issue) => issue.kind === kind));
  const lines = sorted.slice(0, MAX_ISSUES).map((issue) => `- ${describe(issue)}`);
  if (sorted.length > MAX_ISSUES) lines.push(`- and ${sorted.length - MAX_ISSUES} more`);
  const count = issues.length === 1 ? '1 problem' : `${issues.length} problems`;
  return [`InputValidationError: the input has ${count}. Correct it and call the tool again.`, ...lines].join('\n');
}

/** Writes a path as `todos[0].activeForm`; the empty string stands for the whole input. */
export function formatPath(path: readonly (string | number)[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    if (!PLAIN_KEY.test(key)) return `${text}[${JSON.stringify(key)}]`;
    return text === '' ? key : `${text}.${key}`;
  }, '');
}

const DESCRIPTIONS: Record<InputIssue['kind'], (issue: InputIssue, where: string) => string> = {
  missing: ({ expected }, where) => `missing parameter ${where}${expected === undefined ? '' : `, expected ${clip(expected)}`}`,
  unexpected: (_issue, where) => `unexpected parameter ${where}: the tool does not take it`,
  type: ({ expected = 'another type', received = 'something else' }, where) =>
    `wrong type of ${where}: expected ${clip(expected)}, received ${clip(received)}`,
  other: ({ message }, where) => `${where}: ${clip(message)}`,
};

function describe(issue: InputIssue): string {
  const where = issue.path.length === 0 ? 'the input' : `\`${clip(formatPath(issue.path))}\``;
  return DESCRIPTIONS[issue.kind](issue, where);
}

function clip(words: string): string {
  return words.length <= MAX_WORDS ? words : `${words.slice(0, MAX_WORDS).toWellFormed()}…`;
}
