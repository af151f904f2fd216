// What a command line touches, part by part: the programs it runs and the files that its words and redirections name.
import type { CommandPart, CommandReader, CommandReading, CommandWord } from '../../contract/index.ts';
import { expandPattern } from '../patterns/expand-pattern.ts';
import { isElusive } from './elusive.ts';
import type { Access } from './file-access.ts';
import { fileWords, type FileWord } from './file-words.ts';
import { directoryOption } from './directory-option.ts';
import { placeOf, type Place, type RealPath } from '../paths/place.ts';
import { programName } from './wrappers.ts';
import { readPrograms, type Program, type Programs } from './read-programs.ts';

export type FileUse =
  /** Named by a redirection, so that it is a file for certain. */
  | { readonly redirect: true; readonly access: 'read' | 'write'; readonly place: Place }
  | { readonly redirect: false; readonly access: Access; readonly place: Place };

export interface Unknown {
  readonly read: boolean;
  /** By a program among it. */
  readonly write: boolean;
  /** By a redirection of its own. */
  readonly redirect: boolean;
}

export interface TouchedPart extends Programs {
  readonly part: CommandPart;
  readonly files: readonly FileUse[];
  /** It reads or writes a file that only the shell knows. */
  readonly unknown: Unknown;
}

export interface TouchedCommand {
  readonly kind: 'command';
  readonly reading: CommandReading;
  readonly parts: readonly TouchedPart[];
  /** `no`: relative paths all start in one directory; `known`: in some, all of them below or named in full. */
  readonly moves: 'no' | 'known' | 'unknown';
  /** Where relative paths may start, as far as it is known. */
  readonly directories: readonly string[];
}

export interface CommandSight {
  readonly commands: CommandReader;
  readonly realPath: RealPath;
  readonly cwd: string;
  readonly home: string;
  /** False when no one asks which files are named. */
  readonly files: boolean;
}

/** Paths that are followed for one line. */
const MAX_PLACES = 1_000;
const MAX_DIRECTORIES = 8;
const ALL_UNKNOWN: Unknown = { read: true, write: true, redirect: true };

/** What is being found of one line. */
interface Search extends CommandSight {
  /** Where relative paths may start. */
  readonly directories: Set<string>;
  readonly places: Map<string, Promise<Place>>;
  moves: TouchedCommand['moves'];
}

export async function touchedCommand(command: string, sight: CommandSight): Promise<TouchedCommand> {
  const reading = sight.commands.read(command);
  const search: Search = { ...sight, directories: new Set([sight.cwd]), places: new Map(), moves: 'no' };
  const parts: TouchedPart[] = [];
  for (const part of reading.parts) {
    const programs = readPrograms(part, sight.commands);
    const [own, ...inner] = programs.programs;
    // What a nested shell, or an option, does to the directory holds for what comes with it.
    for (const program of programs.programs) await enter(program, search);
    for (const program of inner) await move(program, search);
    const found = sight.files ? await filesOf(part, programs, search) : { files: [], unknown: ALL_UNKNOWN };
    parts.push({ part, ...programs, ...found });
    if (own !== undefined) await move(own, search);
  }
  return { kind: 'command', reading, parts, moves: search.moves, directories: [...search.directories] };
}

type Wanted = FileWord & ({ readonly redirect: true; readonly access: 'read' | 'write' } | { readonly redirect: false });

async function filesOf(part: CommandPart, { programs, inner }: Programs, search: Search): Promise<Pick<TouchedPart, 'files' | 'unknown'>> {
  const unknown = { read: false, write: false, redirect: false };
  const files: FileUse[] = [];
  for (const word of wantedBy(part, programs, inner)) {
    const paths = await pathsOf(word, search);
    const places = await Promise.all((paths ?? []).map((path) => follow(path, search)));
    for (const place of places) {
      if (place !== null)
        files.push(word.redirect ? { redirect: true, access: word.access, place } : { redirect: false, access: word.access, place });
    }
    if (paths === null || places.includes(null)) {
      if (!word.redirect || word.access === 'read') unknown.read = true;
      if (word.access === 'write') unknown[word.redirect ? 'redirect' : 'write'] = true;
    }
    if (word.text !== null && isElusive(word.text)) unknown.read = true;
  }
  return { files, unknown };
}

function wantedBy(part: CommandPart, programs: readonly Program[], inner: readonly CommandPart[]): readonly Wanted[] {
  const redirects = (each: CommandPart) => each.redirects.map(({ access, path }) => ({ access, text: path }));
  const named: readonly FileWord[] = [
    ...inner.flatMap(redirects),
    ...[part, ...inner].flatMap((each) => [...nameOf(each), ...valuesOf(each)]),
    ...programs.flatMap(fileWords),
  ];
  // Programs that a part may run share most of their words.
  const once = new Map(named.map((word) => [`${word.access} ${word.pattern ?? ''} ${word.text ?? '\0'}`, word]));
  return [
    ...redirects(part).map((word) => ({ ...word, redirect: true as const })),
    ...Array.from(once.values(), (word) => ({ ...word, redirect: false as const })),
  ];
}

/** A program named by its path is read. */
function nameOf({ words: [first] }: CommandPart): FileWord[] {
  return first?.value?.includes('/') === true ? [{ access: 'read', text: first.value }] : [];
}

/** What is put into a variable may be a path that is used later. */
function valuesOf({ assignments }: CommandPart): FileWord[] {
  return assignments.flatMap(({ value }) => (value === null || value === '' ? [] : [{ access: 'read' as const, text: value }]));
}

/** Every path that the word may stand for, not normalised; `null` when there is no telling. */
async function pathsOf({ text, pattern }: FileWord, search: Search): Promise<readonly string[] | null> {
  if (text === null && pattern === undefined) return null;
  const word = pattern ?? text ?? '';
  if (/^~[^/]/.test(word)) return null;
  if (/^~(\/|$)/.test(word))
    return pattern === undefined ? [search.home + word.slice(1), ...joined(word, search)] : expandPattern(word.slice(2), search.home);
  if (pattern === undefined) return joined(word, search);
  const expanded = await Promise.all([...search.directories].map((directory) => expandPattern(pattern, directory)));
  return expanded.includes(null) ? null : expanded.flatMap((paths) => paths ?? []);
}

function joined(path: string, { directories }: Search): string[] {
  return path.startsWith('/') ? [path] : [...directories].map((directory) => `${directory}/${path}`);
}

async function follow(path: string, { places, realPath }: Search): Promise<Place | null> {
  const known = places.get(path);
  if (known !== undefined) return known;
  if (places.size >= MAX_PLACES) return null;
  const place = placeOf(path, realPath);
  places.set(path, place);
  return place;
}

/** Takes in that later parts may run in another directory. */
async function move({ words: [name, ...rest] }: Program, search: Search): Promise<void> {
  const changer = programName(name?.value ?? '');
  if (changer !== 'cd' && changer !== 'pushd' && changer !== 'popd') return;
  await goTo(changer === 'popd' ? null : directoryOf(rest), search);
}

/** Takes in that the program, and what it runs, may work in another directory. */
async function enter({ words: [name, ...rest] }: Program, search: Search): Promise<void> {
  for (const directory of directoryOption(name?.value ?? '', rest)) await goTo(directory, search);
}

async function goTo(target: string | null, search: Search): Promise<void> {
  const paths =
    target === null || search.directories.size >= MAX_DIRECTORIES ? null : await pathsOf({ access: 'read', text: target }, search);
  // In a loop a `..` may be gone more than once.
  if (paths === null || target?.split('/').includes('..') === true) search.moves = 'unknown';
  else if (search.moves === 'no') search.moves = 'known';
  for (const path of paths ?? []) {
    const place = await placeOf(path, search.realPath);
    search.directories.add(place.shown);
    if (place.real !== null) search.directories.add(place.real);
  }
}

function directoryOf(words: readonly CommandWord[]): string | null {
  const at = words.findIndex(({ value }) => value === null || !/^-[LPe@]+$|^--$/.test(value));
  const value = at === -1 ? '~' : (words[at]?.value ?? null);
  return value === null || /^[-+]/.test(value) ? null : value;
}
