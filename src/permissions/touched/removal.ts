// What a program removes, if it is one that does.
import type { CommandWord } from '../../contract/index.ts';
import type { Program } from './read-programs.ts';

export interface Removal {
  /** With all that is in them. */
  readonly recursive: boolean;
  /** There is more, or other, than the paths, and only the shell knows what. */
  readonly unknown: boolean;
  /** As they are written. */
  readonly paths: readonly string[];
}

const RECURSIVE = /^(-[a-zA-Z]*[rR][a-zA-Z]*|--r.*)$/;
/** A name of wildcards alone, so that it stands for all there is. */
const ALL_OF_IT = /^[*?.]*[*?][*?.]*$|^\.?\[[!^].*\]\*?$/;

/** `null` for a program that removes nothing as far as is known here. */
export function removalBy({ words: [name, ...rest], open }: Program): Removal | null {
  switch (name?.value) {
    case 'rm':
    case 'rmdir':
      return removalOf(rest, { open, recursive: rest.some(({ value }) => value !== null && RECURSIVE.test(value)) });
    case 'rimraf':
      return removalOf(rest, { open, recursive: true });
    case 'find':
      return removalByFind(rest, open);
    case 'git':
      return removalByGit(rest, open);
    default:
      return null;
  }
}

function removalOf(words: readonly CommandWord[], { open, recursive }: { open: boolean; recursive: boolean }): Removal {
  const targets = words.map(targetsIn);
  return { recursive, unknown: open || targets.includes(null), paths: targets.flatMap((paths) => paths ?? []) };
}

/** Directories that go with the word; `null` when only the shell knows. */
function targetsIn({ value, pattern }: CommandWord): readonly string[] | null {
  if (value !== null) return value.startsWith('-') ? [] : [value];
  if (pattern === undefined) return null;
  const names = pattern.split('/');
  const first = names.findIndex((name) => /(?<!\\)[*?[]/.test(name));
  // What a wildcard leads to, and all of it, go with the directory in front.
  const rest = names.slice(first).filter((name) => name !== '');
  if (!rest.every((name) => ALL_OF_IT.test(name) || name === '..' || name === '.')) return [];
  const directory = names.slice(0, first).join('/').replace(/\\(.)/g, '$1');
  return [first === 0 ? '.' : directory || '/'];
}

const FIND_REMOVES = /^-delete$/;
const FIND_STARTS = /^-(exec|ok)(dir)?$/;
const REMOVER = /(^|\/)(rm|rmdir|unlink|shred|rimraf)$/;
/** With these it still finds nearly all there is. */
const FIND_ALL =
  /^(-(d|depth|(min|max)depth|type|xdev|mount|noleaf|follow|o|or|a|and|not|true|print0?|ls|delete|exec|execdir|ok|okdir|H|L|P)|[!(),;+])$/;

/** A search that removes what it finds, and finds all of where it starts. */
function removalByFind(words: readonly CommandWord[], open: boolean): Removal | null {
  const has = (option: RegExp): boolean => words.some(({ value }) => value !== null && option.test(value));
  if (!has(FIND_REMOVES) && !(has(FIND_STARTS) && has(REMOVER))) return null;
  const first = words.findIndex(({ value }) => value !== null && /^(-(?![HLPD]$|O\d?$)|[!(])/.test(value));
  const starts = words.slice(0, first).filter(({ value }) => value === null || !value.startsWith('-'));
  const tests = words.slice(first);
  const either = tests.some(({ value }) => value !== null && /^(-o|-or|-not|,|!)$/.test(value));
  const narrowed = tests.some(({ value }, index) => value?.startsWith('-') === true && !FIND_ALL.test(value) && !isForAll(tests, index));
  if (narrowed && !either) return null;
  return removalOf(starts.length === 0 ? [{ value: '.', written: '.' }] : starts, { open, recursive: true });
}

/** A test by name that every name passes, or a word of what the search starts. */
function isForAll(tests: readonly CommandWord[], index: number): boolean {
  const start = tests.findIndex(({ value }) => value !== null && FIND_STARTS.test(value));
  if (start !== -1 && index > start) return true;
  return /^-i?(name|path|wholename|regex)$/.test(tests[index]?.value ?? '') && /^[*?./]+$/.test(tests[index + 1]?.value ?? '');
}

function removalByGit([command, ...words]: readonly CommandWord[], open: boolean): Removal | null {
  const values = words.flatMap(({ value }) => (value === null ? [] : [value]));
  if (command?.value === 'rm') return removalOf(words, { open, recursive: values.some((value) => RECURSIVE.test(value)) });
  // Only with one of these it removes directories, or files that git was told to pass over.
  const clears = values.some((value) => /^-[a-df-zA-Z]*[dxX]/.test(value)) && !values.some((value) => /^(-[a-df-zA-Z]*n|--dr)/.test(value));
  if (command?.value !== 'clean' || !clears) return null;
  const excluded = words.filter((_, index) => !/^(-[a-zA-Z]*e|--e[a-z]*)$/.test(words[index - 1]?.value ?? ''));
  const named = excluded.filter(({ value }) => value === null || !value.startsWith('-'));
  return removalOf(named.length === 0 ? [{ value: '.', written: '.' }] : named, { open, recursive: true });
}
