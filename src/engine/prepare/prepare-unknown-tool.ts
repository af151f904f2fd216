// What a model is told that asked for a tool which is not there.
import { diff } from 'node:util';

/** Names are listed when there are at most this many, with so many characters in all. */
const FEW_NAMES = 30;
const FEW_CHARS = 1_000;
/** Characters of the wrong name that are shown and compared. */
const MAX_NAME_CHARS = 200;
/** Names told as near at most. */
const MAX_NEAR = 3;
/** Share of common characters, from 0 to 1, from which a name counts as near. */
const NEAR = 0.7;
/** Characters from which a name counts as near when the other holds it: `read_file` means Read. */
const MIN_HELD_CHARS = 4;

/** @param names of all tools there are, when that can be told */
export function unknownTool(asked: string, names: readonly string[] = []): string {
  const shown = asked.slice(0, MAX_NAME_CHARS);
  const near = nearest(shown, names);
  return [
    `No tool named ${JSON.stringify(shown)} is available.`,
    ...(near.length > 0 ? [`Did you mean ${near.join(' or ')}?`] : []),
    areFew(names) ? `The tools are: ${names.join(', ')}.` : 'Use one of the tools you were given.',
  ].join(' ');
}

function areFew(names: readonly string[]): boolean {
  return names.length > 0 && names.length <= FEW_NAMES && names.join(', ').length <= FEW_CHARS;
}

/** The names most like the one asked for, all equally like it. */
function nearest(asked: string, names: readonly string[]): string[] {
  const wanted = plain(asked);
  const scores = names.map((name) => ({ name, score: likeness(wanted, plain(name)) }));
  const best = Math.max(NEAR, ...scores.map(({ score }) => score));
  return scores.flatMap(({ name, score }) => (score === best ? [name] : [])).slice(0, MAX_NEAR);
}

/** Models write `bash`, `functions.Bash` or `BashTool`: letters and digits of the last part count. */
function plain(name: string): string {
  return name
    .replace(/^.*[.:/](?=.)/s, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]|tool$/gu, '');
}

function likeness(one: string, other: string): number {
  const [shorter, longer] = one.length < other.length ? [one, other] : [other, one];
  if (shorter.length >= MIN_HELD_CHARS && longer !== shorter && longer.includes(shorter)) return NEAR;
  const length = one.length + other.length;
  return length === 0 ? 0 : 1 - diff(one, other).filter(([operation]) => operation !== 0).length / length;
}
