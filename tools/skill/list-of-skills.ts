import { clipped, type SkillSummary } from '../../src/contract/index.ts';

/** Characters of the list, however many skills there are. */
const MAX_LIST_CHARS = 15_000;

/** A line each. Where all of it is too long, each gets the same room. */
export function listOfSkills(skills: readonly SkillSummary[]): string {
  const lines = skills.map(lineOf);
  const isTooLong = lines.reduce((sum, line) => sum + line.length + 1, 0) > MAX_LIST_CHARS;
  const room = isTooLong ? Math.floor(MAX_LIST_CHARS / lines.length) - 1 : Infinity;
  return lines.length === 0 ? '(none)' : lines.map((line) => clipped(line, room)).join('\n');
}

function lineOf({ name, description, source, argumentHint }: SkillSummary): string {
  const marks = [...(argumentHint === undefined ? [] : [` ${argumentHint}`]), ...(source === 'workspace' ? [' (workspace)'] : [])];
  return `- ${name}${marks.join('')}: ${description}`;
}
