// Rules about programs in a language that nobody here reads, such as scripts of PowerShell. What allows them holds for one
// plain command alone; what forbids them holds wherever it is found, and where it may be hidden people are asked.
import { resolve } from 'node:path';
import { matchCommand, type CommandPattern } from '../patterns/command-pattern.ts';
import type { Place } from '../paths/place.ts';
import type { Rule } from './rule.ts';
import { matchWildcard, type Match } from '../patterns/wildcard.ts';

/** Nothing in it ends a command, begins another one, stands for a value or leads output elsewhere. */
const PLAIN = /^[\w "'.,:=/\\+%*?~-]*$/;
/**
 * One command under its full name, with all of its words written out. Short names may stand for any command, and verbs that are
 * not among these may run what their words name: a program, a script, a module, what is encoded.
 */
const WRITTEN_OUT = new RegExp(
  `^(?:Add-Content|New-Item|(?:${[
    'Clear|Compare|Convert|ConvertFrom|ConvertTo|Copy|Export|Find|Format|Get|Group|Hide|Join|Measure|Move|Out|Pop|Push|Read|Remove',
    'Rename|Resolve|Search|Select|Set|Show|Sort|Split|Stop|Tee|Test|Wait|Write',
  ].join('|')})-[A-Za-z]+)( [\\w .,:=/\\\\+%*?~-]*)?$`,
  'i',
);
const NAME_CHARACTER = /^[\w-]$/;

/** A rule with a star allows no more than one plain command; one without allows exactly what it says. */
export function allowsCode({ other = [], script }: Pick<Rule, 'other' | 'script'>, text: string): boolean {
  if (other.length === 1 && matchWildcard(other, text) === 'yes') return true;
  return script !== undefined && PLAIN.test(text) && matchCommand(script, text) === 'yes';
}

/**
 * Whether a rule that forbids or asks is about such a program: one for its tool, for commands, or for files.
 * @param sandboxed whether a sandbox keeps it from the files that rules forbid
 */
export function forbidsCode({ form, bare, command, script }: Rule, text: string, sandboxed: boolean): Match {
  if (form === 'url') return 'no';
  if (form === 'read' || form === 'write') return bare || sandboxed ? 'no' : 'maybe';
  const pattern = command ?? script;
  if (bare || pattern === undefined || isFound(pattern, text)) return 'yes';
  return WRITTEN_OUT.test(text) ? 'no' : 'maybe';
}

/** Whether what the pattern says stands anywhere in the text, at the beginning of a word, in whatever case. */
function isFound({ exact }: CommandPattern, text: string): boolean {
  const given = text.toLowerCase().replace(/\s+/g, ' ');
  let from = 0;
  for (const [index, written] of exact.entries()) {
    const piece = written.toLowerCase();
    const at = placeIn(given, piece, { from, begins: index === 0, ends: index === exact.length - 1 });
    if (at === -1) return false;
    from = at + piece.length;
  }
  return true;
}

/** Where the piece stands first; one that begins or ends what is looked for does not stand inside of a longer name. */
function placeIn(text: string, piece: string, { from, begins, ends }: { from: number; begins: boolean; ends: boolean }): number {
  for (let at = text.indexOf(piece, from); at !== -1; at = text.indexOf(piece, at + 1)) {
    const inName = begins && isName(piece[0]) && isName(text[at - 1]);
    const goesOn = ends && isName(piece.at(-1)) && isName(text[at + piece.length]);
    if (!inName && !goesOn) return at;
  }
  return -1;
}

function isName(character: string | undefined): boolean {
  return character !== undefined && NAME_CHARACTER.test(character);
}

/** Every word of the program as the path that it would be, links not followed. */
export function placesNamed(text: string, cwd: string): readonly Place[] {
  const words = text.split(/[\s"'`;|&(){}<>,=@$]+/).filter((word) => word !== '');
  return words.map((word) => ({ shown: resolve(cwd, word.replaceAll('\\', '/')), real: null }));
}
