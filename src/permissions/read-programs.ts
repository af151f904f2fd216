// Which programs a part of a line runs, through wrappers, nested shells and paths. Rules that forbid look at all of them.
import type { CommandPart, CommandReader, CommandWord } from '../contract/index.ts';
import { programName, unwrap } from './wrappers.ts';

/** One program that a part runs, or may run. */
export interface Program {
  /** The first is its name, without a path, and known. */
  readonly words: readonly CommandWord[];
  /** More words follow, and only the shell knows which. */
  readonly open: boolean;
}

export interface Programs {
  readonly programs: readonly Program[];
  /** It runs something that cannot be told from the line. */
  readonly unclear: boolean;
}

const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'ash', 'mksh', 'rbash', 'fish']);
const MAX_DEPTH = 6;
const MAX_PROGRAMS = 2_000;

interface Search {
  readonly commands: CommandReader;
  readonly programs: Program[];
  unclear: boolean;
}

/** Never throws: what cannot be followed is unclear. */
export function readPrograms({ words, opaque }: CommandPart, commands: CommandReader): Programs {
  const search: Search = { commands, programs: [], unclear: opaque };
  follow(words, { open: false, depth: 0 }, search);
  return { programs: search.programs, unclear: search.unclear };
}

interface Place {
  readonly open: boolean;
  readonly depth: number;
}

function follow(words: readonly CommandWord[], { open, depth }: Place, search: Search): void {
  const [first, ...rest] = words;
  if (first === undefined) return;
  if (first.value === null || depth > MAX_DEPTH || search.programs.length >= MAX_PROGRAMS) {
    search.unclear = true;
    return;
  }
  const name = programName(first.value);
  const named = [{ value: name, written: first.value === name ? first.written : name }, ...rest];
  search.programs.push({ words: named, open });
  if (name === 'git') search.programs.push({ words: [...named.slice(0, 1), ...behindOptions(rest)], open });
  const inner = { open, depth: depth + 1 };
  if (SHELLS.has(name)) return followShell(rest, inner, search);
  if (name === 'eval') return followText(rest, inner, search);
  if (name === 'trap') return followText(rest.slice(0, 1), inner, search);
  const unwrapped = unwrap(named);
  if (unwrapped.kind === 'wrapper') follow(unwrapped.inner, { open: open || unwrapped.more, depth: depth + 1 }, search);
  if (unwrapped.kind === 'runner') followAnywhere(unwrapped.words, inner, search);
}

/** Options of git that stand in front of what it does, with a value of their own. */
const GIT_VALUES = /^(-[cC]|--(git-dir|work-tree|namespace|exec-path|config-env|super-prefix))$/;

/** The words from the first that is no option and no value of one. */
function behindOptions(words: readonly CommandWord[]): readonly CommandWord[] {
  let at = 0;
  while (words[at]?.value?.startsWith('-') === true) at += GIT_VALUES.test(words[at]?.value ?? '') ? 2 : 1;
  return words.slice(at);
}

/** A shell runs the text behind `-c`, a file, or what it is given to read, which nobody can see here. */
function followShell(words: readonly CommandWord[], place: Place, search: Search): void {
  const at = words.findIndex(({ value }) => value !== null && /^-[a-zA-Z]*c[a-zA-Z]*$/.test(value));
  const file = words.findIndex(({ value }) => value === null || !/^[-+]/.test(value));
  if (at === -1 || (file !== -1 && file < at)) {
    search.unclear ||= file === -1 || words[file]?.value === null;
    return;
  }
  // Options may stand between -c and the text.
  const text = words.slice(at + 1).find(({ value }) => value === null || !/^[-+]/.test(value) || value === '');
  if (text === undefined || place.open) search.unclear = true;
  if (text !== undefined) followText([text], place, search);
}

function followText(words: readonly CommandWord[], place: Place, search: Search): void {
  const values = words.map(({ value }) => value);
  if (values.includes(null) || place.depth > MAX_DEPTH) {
    search.unclear = true;
    return;
  }
  const reading = search.commands.read(values.join(' '));
  search.unclear ||= !reading.understood;
  for (const part of reading.parts) {
    search.unclear ||= part.opaque;
    follow(part.words, place, search);
  }
}

/** Every word may be where the other program begins. Words that look like options are not. */
function followAnywhere(words: readonly CommandWord[], place: Place, search: Search): void {
  for (const [index, { value }] of words.entries()) {
    if (value === null) search.unclear = true;
    else if (/^[\w./]/.test(value)) follow(words.slice(index), place, search);
  }
}
