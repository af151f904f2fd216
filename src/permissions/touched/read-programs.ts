// Which programs a part of a line runs, through wrappers, nested shells and paths. Rules that forbid look at all of them.
import type { CommandPart, CommandReader, CommandWord } from '../../contract/index.ts';
import { codeIn, codeInAssignment, type Code } from './code-in-words.ts';
import { codeInScript } from './script-code.ts';
import { isShell, readShellWords } from './shell-words.ts';
import { programName, unwrap } from './wrappers.ts';

/** One program that a part runs, or may run. */
export interface Program {
  /** The first is its name, without a path, and known. */
  readonly words: readonly CommandWord[];
  /** More words follow, or stand in place of some, and only the shell knows which. */
  readonly open: boolean;
  /** It was judged to change nothing. */
  readonly readOnly: boolean;
}

export interface Programs {
  readonly programs: readonly Program[];
  /** Parts of the texts that shells among the programs are given. */
  readonly inner: readonly CommandPart[];
  /** It runs something that cannot be told from the line. */
  readonly unclear: boolean;
}

const MAX_DEPTH = 6;
/** What is looked at for one part of a line: words of all its programs, and characters of texts that are taken apart. */
const MAX_WORDS = 20_000;
const MAX_CHARS = 20_000;
/** What a program or a text costs that is nearly empty. */
const LEAST_CHARS = 50;

interface Search {
  readonly commands: CommandReader;
  readonly programs: Program[];
  readonly inner: CommandPart[];
  words: number;
  chars: number;
  unclear: boolean;
}

/** Never throws: what cannot be followed is unclear. */
export function readPrograms(part: CommandPart, commands: CommandReader): Programs {
  const search: Search = { commands, programs: [], inner: [], words: MAX_WORDS, chars: MAX_CHARS, unclear: false };
  followPart(part, { open: false, depth: 0, readOnly: part.readOnly }, search);
  return { programs: search.programs, inner: search.inner, unclear: search.unclear };
}

interface Place {
  readonly open: boolean;
  readonly depth: number;
  readonly readOnly: boolean;
}

function followPart({ words, assignments, opaque }: CommandPart, place: Place, search: Search): void {
  search.unclear ||= opaque;
  for (const { name, value } of assignments) followCode(codeInAssignment(name, value), place, search);
  follow(words, place, search);
}

function follow(words: readonly CommandWord[], place: Place, search: Search): void {
  const [first, ...rest] = words;
  if (first === undefined) return;
  search.words -= words.length;
  if (first.value === null || place.depth > MAX_DEPTH || search.words < 0) {
    search.unclear = true;
    return;
  }
  const { open, readOnly } = place;
  const name = programName(first.value);
  const named = [{ value: name, written: first.value === name ? first.written : name }, ...rest];
  search.programs.push({ words: named, open, readOnly });
  if (name === 'git') search.programs.push({ words: [...named.slice(0, 1), ...behindOptions(rest)], open, readOnly });
  const inner = { ...place, depth: place.depth + 1 };
  followCode([...codeIn(name, rest), ...(readOnly ? [] : codeInScript(name, rest, search.commands))], inner, search);
  if (isShell(name)) followShell(rest, inner, search);
  else followWrapped(named, inner, search);
}

/** Options of git that stand in front of what it does, with a value of their own. */
const GIT_VALUES = /^(-[cC]|--(git-dir|work-tree|namespace|exec-path|config-env|super-prefix))$/;

/** The words from the first that is no option and no value of one. */
function behindOptions(words: readonly CommandWord[]): readonly CommandWord[] {
  let at = 0;
  while (words[at]?.value?.startsWith('-') === true) at += GIT_VALUES.test(words[at]?.value ?? '') ? 2 : 1;
  return words.slice(at);
}

function followWrapped(named: readonly CommandWord[], place: Place, search: Search): void {
  const unwrapped = unwrap(named);
  switch (unwrapped.kind) {
    case 'program':
      return;
    case 'starter':
      // More words may be more that it starts.
      search.unclear ||= place.open;
      for (const words of unwrapped.commands) follow(words, place, search);
      return;
    case 'runner':
      search.unclear ||= place.open || unwrapped.more;
      return followAnywhere(unwrapped.words, { ...place, open: place.open || unwrapped.more }, search);
    case 'wrapper': {
      const { inner, more, placeholder } = unwrapped;
      const open = place.open || more;
      // What a wrapper reads may be all that it is to run; `xargs` alone runs `echo`.
      if (inner.length === 0) search.unclear ||= place.open;
      follow(inner, { ...place, open }, search);
      if (placeholder === undefined || !inner.some(({ value }) => value?.includes(placeholder) === true)) return;
      const replaced = inner.map((word) => (word.value?.includes(placeholder) === true ? { value: null, written: word.written } : word));
      follow(replaced, { ...place, open }, search);
    }
  }
}

function followShell(words: readonly CommandWord[], place: Place, search: Search): void {
  const { texts, elsewhere } = readShellWords(words);
  search.unclear ||= elsewhere || place.open;
  followCode(
    texts.map(({ value }) => value),
    place,
    search,
  );
}

function followCode(code: Code, place: Place, search: Search): void {
  for (const text of code) {
    search.chars -= Math.max(text?.length ?? 0, LEAST_CHARS);
    if (text === null || place.depth > MAX_DEPTH || search.chars < 0) {
      search.unclear = true;
      continue;
    }
    const reading = search.commands.read(text);
    search.unclear ||= !reading.understood;
    search.inner.push(...reading.parts);
    for (const part of reading.parts) followPart(part, { ...place, depth: place.depth + 1, readOnly: part.readOnly }, search);
  }
}

/** Every word may be where the other program begins, or a text with all that is run; so may what is attached to an option. */
function followAnywhere(words: readonly CommandWord[], place: Place, search: Search): void {
  for (const [index, word] of words.entries()) {
    if (search.words < 0 || search.chars < 0) return;
    const { value } = word;
    if (value === null) search.unclear = true;
    else {
      for (const text of startsIn(value)) {
        if (/[\s;&|<>$`(){}]/.test(text)) followCode([text], place, search);
        else follow([text === value ? word : { value: text, written: text }, ...words.slice(index + 1)], place, search);
      }
    }
  }
}

function startsIn(value: string): readonly string[] {
  if (!value.startsWith('-')) return /^[\w./]|\s/.test(value) ? [value] : [];
  const attached = value.startsWith('--') ? (/=(.+)$/s.exec(value)?.[1] ?? '') : value.slice(2);
  return /^[\w./]/.test(attached) ? [attached] : [];
}
