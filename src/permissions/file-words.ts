// Which words of a program may name files. Too many is right: a rule that forbids a file holds for whatever names it.
import type { CommandWord } from '../contract/index.ts';
import type { Program } from './read-programs.ts';

export interface FileWord {
  readonly access: 'read' | 'write';
  /** As the program will read it; `null` when only the shell knows it. */
  readonly text: string | null;
  /** Set when wildcards stand for several. */
  readonly pattern?: string;
}

/** Their words are texts. */
const NO_FILES = new Set(['echo', 'printf', 'true', 'false', ':', 'sleep', 'seq']);
/** Every word may be what they change. */
const WRITERS = new Set(
  [
    'rm rmdir unlink shred mv tee touch truncate dd chmod chown chgrp mkdir mkfifo mknod patch ed ex vi vim nano sponge',
    'gzip gunzip bzip2 bunzip2 xz unxz zstd unzip zip tar sqlite3 setfacl chattr',
  ].flatMap((names) => names.split(' ')),
);
/** The last word is what they change. */
const COPIERS = new Set(['cp', 'install', 'ln', 'rsync', 'scp']);
/** They change their files with such an option. */
const WRITING_OPTIONS: Readonly<Record<string, RegExp>> = {
  sed: /^(-[a-zA-Z]*i|--in-place)/,
  perl: /^-[a-zA-Z]*i/,
  ruby: /^-[a-zA-Z]*i/,
  sort: /^(-[a-zA-Z]*o|--output)/,
  curl: /^(-[a-zA-Z]*[oO]|--output)/,
  wget: /^(-[a-zA-Z]*O|--output-document)/,
  git: /^(rm|mv|checkout|restore|clean|apply|am|stash|reset|switch)$/,
};

export function fileWords({ words }: Program): readonly FileWord[] {
  const [first, ...rest] = words;
  const name = first?.value ?? '';
  if (NO_FILES.has(name)) return [];
  const writesAll = isWriter(name, rest);
  const last = COPIERS.has(name) ? rest.findLastIndex(({ value }) => value === null || !value.startsWith('-')) : -1;
  return rest.flatMap((word, index) => readings(word, writesAll || index === last ? 'write' : 'read'));
}

function isWriter(name: string, words: readonly CommandWord[]): boolean {
  if (WRITERS.has(name)) return true;
  const option = COPIERS.has(name) ? /^(-[a-zA-Z]*t|--target)/ : Object.hasOwn(WRITING_OPTIONS, name) ? WRITING_OPTIONS[name] : undefined;
  return option !== undefined && words.some(({ value }) => value !== null && option.test(value));
}

function readings({ value, pattern }: CommandWord, access: FileWord['access']): FileWord[] {
  if (value === null) return [pattern === undefined ? { access, text: null } : { access, text: null, pattern }];
  return textsIn(value).map((text) => ({ access, text }));
}

/** The word, and what follows an option, `=` or `@` in it. */
function textsIn(value: string): string[] {
  const equals = value.indexOf('=');
  const attached = equals === -1 ? [] : [value.slice(equals + 1)];
  if (value.startsWith('--')) return attached.filter((text) => text !== '');
  const own = value.startsWith('-') ? value.slice(2) : value;
  return [own, ...attached, ...(own.startsWith('@') ? [own.slice(1)] : [])].filter((text) => text !== '');
}
