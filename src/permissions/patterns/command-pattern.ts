// What a rule says of commands: exact, with `*` for anything, or a beginning, written ` *` or `:*`, that ends at a word's end.
import { matchWildcard, parseWildcard, strongest, type Match, type Wildcard } from './wildcard.ts';

export interface CommandPattern {
  readonly exact: Wildcard;
  /** Set for a beginning: the same with more words behind it. */
  readonly longer?: Wildcard;
  /** The text in front of the first star. */
  readonly head: string;
}

/** @throws Error that says what to change */
export function parseCommandPattern(spec: string): CommandPattern {
  const text = spec.replace(/\s+/g, ' ');
  const [, begin] = /^(.*?)(?:(?<!\\):\*| \*+)$/.exec(text) ?? [];
  const [head = ''] = (begin ?? text).split('*', 1);
  if (begin === undefined) return { exact: parseWildcard(text), head };
  if (begin.trim() === '') throw new Error('write the beginning of a command in front of the *, such as Bash(npm run:*)');
  return { exact: parseWildcard(begin), longer: parseWildcard(`${begin} *`), head };
}

/** @param open true when more words follow that are not known */
export function matchCommand({ exact, longer }: CommandPattern, text: string, open = false): Match {
  const whole = matchWildcard(exact, text, open);
  // A word that is not known may vanish, so that more than the text is there only perhaps.
  const ended = whole === 'yes' && open && exact.at(-1) !== '' ? 'maybe' : whole;
  const begun = longer === undefined ? 'no' : matchWildcard(longer, open ? `${text} ` : text, open);
  return strongest([ended, begun]);
}
