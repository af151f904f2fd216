// Says what is wrong with an input in words that a model can act on: all of it, grouped by what has to be done.
import type { InputIssue } from '../../contract/catalog.ts';
import { pathText } from '../../contract/path-text.ts';
import { clipped } from '../../contract/text-parts.ts';

const MAX_ISSUES = 50;
const MAX_WORDS = 300;
const ORDER = ['missing', 'unexpected', 'type', 'other'] as const satisfies readonly InputIssue['kind'][];

/** The text `InputValidationError: …` with one line an issue, at most 50 of them. */
export function describeIssues(issues: readonly InputIssue[]): string {
  const sorted = ORDER.flatMap((kind) => issues.filter((issue) => issue.kind === kind));
  const lines = sorted.slice(0, MAX_ISSUES).map((issue) => `- ${describe(issue)}`);
  if (sorted.length > MAX_ISSUES) lines.push(`- and ${sorted.length - MAX_ISSUES} more`);
  const count = issues.length === 1 ? '1 problem' : `${issues.length} problems`;
  return [`InputValidationError: the input has ${count}. Correct it and call the tool again.`, ...lines].join('\n');
}

const DESCRIPTIONS: Record<InputIssue['kind'], (issue: InputIssue, where: string) => string> = {
  missing: ({ expected }, where) =>
    `missing parameter ${where}${expected === undefined ? '' : `, expected ${clipped(expected, MAX_WORDS)}`}`,
  unexpected: (_issue, where) => `unexpected parameter ${where}: the tool does not take it`,
  type: ({ expected = 'another type', received = 'something else' }, where) =>
    `wrong type of ${where}: expected ${clipped(expected, MAX_WORDS)}, received ${clipped(received, MAX_WORDS)}`,
  other: ({ message }, where) => `${where}: ${clipped(message, MAX_WORDS)}`,
};

function describe(issue: InputIssue): string {
  const where = issue.path.length === 0 ? 'the input' : `\`${clipped(pathText(issue.path), MAX_WORDS)}\``;
  return DESCRIPTIONS[issue.kind](issue, where);
}
