// Option allow-lists. Deny-lists do not hold: GNU programs take abbreviations, permute and bundle.
import type { Argument } from './arguments.ts';

/** What follows an option: nothing, a value, one that may be attached, one that is always the next word, or two words. */
type Arity = 'none' | 'required' | 'optional' | 'separate' | 'two';

export interface OptionTable {
  readonly names: ReadonlyMap<string, Arity>;
  /** Whether `-5` is an option. */
  readonly numbers: boolean;
}

const SUFFIXES: readonly (readonly [suffix: string, arity: Arity])[] = [
  ['::', 'two'],
  [':', 'required'],
  ['?', 'optional'],
  ['=', 'separate'],
];

/**
 * Reads a table: `-a` is a flag, `-n:` takes a value (attached or as the next argument), `-I?` may have one attached,
 * `-L=` takes the next argument as its value whatever is attached, `--arg::` takes the next two; the same for `--name`,
 * where an attached value follows `=`; `-#` stands for a number such as `-5`.
 */
export function optionTable(text: string): OptionTable {
  const entries = text.split(/\s+/).filter((entry) => entry !== '' && entry !== '-#');
  return { names: new Map(entries.map(readEntry)), numbers: /(^|\s)-#(\s|$)/.test(text) };
}

function readEntry(entry: string): [string, Arity] {
  for (const [suffix, arity] of SUFFIXES) {
    if (entry.endsWith(suffix)) return [entry.slice(0, -suffix.length), arity];
  }
  return [entry, 'none'];
}

export interface MatchRequest {
  readonly arguments: readonly Argument[];
  readonly table: OptionTable;
  /** True when no option of the program, listed or not, does more than read: then words that are not known are accepted. */
  readonly anyWord?: boolean;
  /** True when options end with the first operand, and all that follows belongs to it. */
  readonly operandsLast?: boolean;
  /**
   * True when the program takes the word behind an option with a value for that value whatever it is, as getopt does. Of others
   * some take a value only where it is attached, and what follows may count as an option all the same.
   */
  readonly takesNext?: boolean;
}

export interface GivenOption {
  readonly name: string;
  /** `null` when it has none. */
  readonly value: Argument | null;
}

export interface Matched {
  readonly options: readonly GivenOption[];
  readonly operands: readonly Argument[];
}

/** What was given, when every option is in the table and nothing else can turn into an option; otherwise `null`. */
export function matchOptions(request: MatchRequest): Matched | null {
  const { arguments: given, table, anyWord = false, operandsLast = false, takesNext = false } = request;
  const options: GivenOption[] = [];
  const operands: Argument[] = [];
  for (let index = 0; index < given.length; index += 1) {
    const argument = given[index];
    if (argument === undefined) break;
    if (isLiteral(argument, '--')) return { options, operands: [...operands, ...given.slice(index + 1)] };
    const found = readOption(argument, table);
    if (found !== null) {
      const values = given.slice(index + 1, index + 1 + found.wants);
      if (values.length < found.wants) return null;
      if (!anyWord && !values.every((value) => isOneWord(value) && (cannotBeOption(value) || (takesNext && value.kind === 'value')))) {
        return null;
      }
      index += found.wants;
      const last = found.options.at(-1);
      options.push(...found.options.slice(0, -1));
      if (last !== undefined) options.push({ name: last.name, value: values[0] ?? last.value });
    } else if (anyWord ? !(argument.kind === 'literal' && isOption(argument.text)) : cannotBeOption(argument)) {
      if (operandsLast) return { options, operands: given.slice(index) };
      operands.push(argument);
    } else {
      return null;
    }
  }
  return { options, operands };
}

/** Whether no word that comes of this argument starts with a dash. */
export function cannotBeOption(argument: Argument): boolean {
  if (argument.kind === 'literal') return !isOption(argument.text);
  return 'prefix' in argument && argument.prefix !== '' && !argument.prefix.startsWith('-');
}

/** Whether it is this one word. */
export function isLiteral(argument: Argument | undefined, text: string): boolean {
  return argument?.kind === 'literal' && argument.text === text;
}

/** Whether it is exactly one word. */
export function isOneWord(argument: Argument | undefined): boolean {
  return argument?.kind === 'literal' || argument?.kind === 'value';
}

/** The texts of arguments which are all known; `null` for others. */
export function literalTexts(given: readonly Argument[]): string[] | null {
  const texts = given.flatMap((argument) => (argument.kind === 'literal' ? [argument.text] : []));
  return texts.length === given.length ? texts : null;
}

function isOption(text: string): boolean {
  return text.startsWith('-') && text.length > 1;
}

interface ReadOption {
  readonly options: readonly GivenOption[];
  /** How many of the next words are values of the last one. */
  readonly wants: 0 | 1 | 2;
}

/** The options of one word; `null` when it is none that is allowed. */
function readOption(argument: Argument, table: OptionTable): ReadOption | null {
  if (argument.kind === 'anything' || argument.kind === 'integer') return null;
  if ('prefix' in argument) return readPartlyKnown(argument, table);
  const { text } = argument;
  if (!isOption(text)) return null;
  if (table.numbers && /^-\d[\d.]*$/.test(text)) return { options: [{ name: '-#', value: null }], wants: 0 };
  return text.startsWith('--') ? readLong(text, table) : readBundle(text.slice(1), table);
}

/** `--name=` is an option whatever is expanded behind it. */
function readPartlyKnown({ kind, prefix }: Extract<Argument, { prefix: string }>, { names }: OptionTable): ReadOption | null {
  const [, name, rest = ''] = /^(--[\w-]+)=(.*)$/s.exec(prefix) ?? [];
  const arity = name === undefined ? undefined : names.get(name);
  if (name === undefined || arity === undefined || arity === 'none' || arity === 'separate' || arity === 'two') return null;
  return { options: [{ name, value: { kind, prefix: rest } }], wants: 0 };
}

function readLong(text: string, { names }: OptionTable): ReadOption | null {
  const equals = text.indexOf('=');
  const name = equals === -1 ? text : text.slice(0, equals);
  const arity = names.get(name);
  if (arity === undefined) return null;
  if (equals === -1) return { options: [{ name, value: null }], wants: wantedBy(arity) };
  if (arity !== 'required' && arity !== 'optional') return null;
  return { options: [{ name, value: { kind: 'literal', text: text.slice(equals + 1) } }], wants: 0 };
}

function wantedBy(arity: Arity): 0 | 1 | 2 {
  if (arity === 'none' || arity === 'optional') return 0;
  return arity === 'two' ? 2 : 1;
}

function readBundle(letters: string, { names }: OptionTable): ReadOption | null {
  const options: GivenOption[] = [];
  for (let index = 0; index < letters.length; index += 1) {
    const name = `-${letters.charAt(index)}`;
    const arity = names.get(name);
    const rest = letters.slice(index + 1);
    if (arity === undefined) return null;
    if (arity !== 'none' && rest === '') return { options: [...options, { name, value: null }], wants: wantedBy(arity) };
    if (arity === 'required' || arity === 'optional') {
      return { options: [...options, { name, value: { kind: 'literal', text: rest } }], wants: 0 };
    }
    if (arity !== 'none') return null;
    options.push({ name, value: null });
  }
  return { options, wants: 0 };
}
