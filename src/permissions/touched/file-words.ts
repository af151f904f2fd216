// Which words of a program may name files. Too many is right: a rule that forbids a file holds for whatever names it.
import type { CommandWord } from '../../contract/index.ts';
import { accessOf, type Access } from './file-access.ts';
import type { Program } from './read-programs.ts';
import { startsProgram } from './wrappers.ts';

export interface FileWord {
  readonly access: Access;
  /** As the program will read it; `null` when only the shell knows it. */
  readonly text: string | null;
  /** Set when wildcards stand for several. */
  readonly pattern?: string;
}

/** Their words are texts, but the shell tells them which files are there. */
const NO_FILES = new Set(['echo', 'printf', 'true', 'false', ':', 'sleep', 'seq']);
/** With these they read, or list, files that stand in no word. */
const READS_UNNAMED: Readonly<Record<string, RegExp>> = {
  sort: /^--f(?!ie)/,
  wc: /^--f/,
  du: /^--f|^-[a-zA-Z]*L|^--de/,
  file: /^(-[a-zA-Z]*f|--f)/,
  jq: /\b(import|include)\b/,
  find: /^-(exec|ok)(dir)?$|^-files0|^-[LH]+$|^-follow$/,
  fd: /^-[xX]|^--exec|^-[a-zA-Z]*L|^--fol/,
  grep: /^-[a-zA-Z]*R|^--der/,
  rg: /^-[a-zA-Z]*L|^--fol/,
  diff: /^-[a-zA-Z]*r|^--rec/,
  tar: /^(-[a-zA-Z]*T|--files-)/,
  rsync: /^--(files-|include-from|exclude-from)/,
  git: /^--pathspec-from/,
  ...Object.fromEntries(
    ['md5sum', 'sha1sum', 'sha224sum', 'sha256sum', 'sha384sum', 'sha512sum', 'b2sum', 'cksum', 'shasum'].map((name) => [
      name,
      /^(-[a-zA-Z]*c|--c)/,
    ]),
  ),
};
/** For them `/` is a letter, or nothing that they could read. */
const NO_DIRECTORIES = new Set(['cut', 'tr', 'paste', 'join', 'awk', 'sort', 'column']);

export function fileWords({ words, open, readOnly }: Program): readonly FileWord[] {
  const [first, ...rest] = words;
  const name = first?.value ?? '';
  if (NO_FILES.has(name)) return rest.filter(({ pattern }) => pattern !== undefined).flatMap((word) => readings(word, 'read'));
  const access = readOnly ? () => 'read' as const : accessOf(name, rest);
  const named = rest.flatMap((word, index) => readings(word, access(index)));
  const found = name === 'sed' ? [...named, ...rest.flatMap(filesOfSed)] : named;
  const kept = NO_DIRECTORIES.has(name) ? found.filter(({ text }) => text !== '/') : found;
  return [...kept, ...unnamed({ words, open, readOnly })];
}

function unnamed({ words: [first, ...rest], open, readOnly }: Program): readonly FileWord[] {
  const name = first?.value ?? '';
  const has = (option: RegExp | undefined): boolean =>
    option !== undefined && rest.some(({ value }) => value !== null && option.test(value));
  const reads = open || has(Object.hasOwn(READS_UNNAMED, name) ? READS_UNNAMED[name] : undefined);
  const writes = !readOnly && (open || has(startsProgram(name)) || (name === 'find' && has(/^-delete$/)));
  return [...(reads ? [{ access: 'read', text: null } as const] : []), ...(writes ? [{ access: 'write', text: null } as const] : [])];
}

function readings({ value, pattern }: CommandWord, access: Access): FileWord[] {
  if (value === null) return [pattern === undefined ? { access, text: null } : { access, text: null, pattern }];
  return textsIn(value).map((text) => ({ access, text }));
}

/** Letters of a word that may each be an option of its own. */
const MAX_BUNDLE = 12;

/** The word, and what follows an option, `=` or `@` in it; of an address also the last name. */
function textsIn(value: string): string[] {
  const equals = value.indexOf('=');
  const attached = equals === -1 ? [] : [value.slice(equals + 1)];
  if (value.startsWith('--')) return attached.filter((text) => text !== '');
  const bundle = /^-[a-zA-Z0-9#]+/.exec(value)?.[0].length ?? 1;
  const behind = Array.from({ length: Math.min(bundle, MAX_BUNDLE) - 1 }, (_, index) => value.slice(index + 2));
  const own = value.startsWith('-') ? (behind.length > 0 ? behind : [value.slice(2)]) : [value];
  const saved = value.includes('://') ? [value.slice(value.lastIndexOf('/') + 1)] : [];
  return [...own, ...attached, ...saved, ...own.flatMap((text) => (text.startsWith('@') ? [text.slice(1)] : []))].filter(
    (text) => text !== '',
  );
}

const MAX_SCRIPT_FILES = 50;
/** One substitution and no more. */
const PLAIN_SUBSTITUTION = /^s([/|#,])(?:(?!\1)[^\\\n]|\\[^\n])*\1(?:(?!\1)[^\\\n]|\\[^\n])*\1[gpI\d]*$/;

/** Files that a script may read or write: what stands behind each letter that could be the command for it. */
function filesOfSed({ value }: CommandWord): FileWord[] {
  if (value === null || PLAIN_SUBSTITUTION.test(value)) return [];
  const found: FileWord[] = [];
  for (const { index, 0: letter } of value.matchAll(/[rRwW]/g)) {
    if (found.length >= MAX_SCRIPT_FILES) return [...found, { access: 'write', text: null }];
    const text = /^[ \t]*([^\n]*)/.exec(value.slice(index + 1))?.[1] ?? '';
    if (text !== '') found.push({ access: /w/i.test(letter) ? 'write' : 'read', text });
  }
  return found;
}
