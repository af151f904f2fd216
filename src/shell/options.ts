// Option allow-lists. Deny-lists do not hold: GNU programs take abbreviations, permute and bundle.
import type { Argument } from './arguments.ts';

type Arity = 'none' | 'required' | 'optional';

export interface OptionTable {
  readonly names: ReadonlyMap<string, Arity>;
  /** Whether `-5` is an option. */
  readonly numbers: boolean;
}

/**
 * Reads a table: `-a` is a flag, `-n:` takes a value (attached or as the next argument), `-I?` may have one attached; the
 * same for `--name`, where an attached value follows `=`; `-#` stands for a number such as `-5`.
 */
export function optionTable(text: string): OptionTable {
  const entries = text.split(/\s+/).filter((entry) => entry !== '' && entry !== '-#');
  return { names: new Map(entries.map(readEntry)), numbers: /(^|\s)-#(\s|$)/.test(text) };
}

function readEntry(entry: string): [string, Arity] {
  if (entry.endsWith(':')) return [entry.slice(0, -1), 'required'];
  if (entry.endsWith('?')) return [entry.slice(0, -1), 'optional'];
  return [entry, 'none'];
}

export interface MatchRequest {
  readonly arguments: readonly Argument[];
  readonly table: OptionTable;
  /** True when no option of the program, listed or not, does more than read: then words that are not known are accepted. */
  readonly anyWord: boolean;
}

/** The operands, when every option is in the table and nothing else can turn into an option; otherwise `null`. */
export function matchOptions({ arguments: given, table, anyWord }: MatchRequest): Argument[] | null {
  const operands: Argument[] = [];
  for (let index = 0; index < given.length; index += 1) {
    const argument = given[index];
    if (argument === undefined) break;
    if (argument.kind === 'literal' && argument.text === '--') return [...operands, ...given.slice(index + 1)];
    if (argument.kind === 'literal' && isOption(argument.text)) {
      const wants = matchOption(argument.text, table);
      if (wants === null) return null;
      if (wants === 'value') {
        index += 1;
        if (!isValue(given[index], anyWord)) return null;
      }
    } else if (anyWord || cannotBeOption(argument)) {
      operands.push(argument);
    } else {
      return null;
    }
  }
  return operands;
}

/** Whether no word that comes of this argument starts with a dash. */
export function cannotBeOption(argument: Argument): boolean {
  if (argument.kind === 'literal') return !isOption(argument.text);
  return argument.kind !== 'anything' && argument.prefix !== '' && !argument.prefix.startsWith('-');
}

function isOption(text: string): boolean {
  return text.startsWith('-') && text.length > 1;
}

/** A value of its own must be one word; one that looks like an option is more likely a trick than a value. */
function isValue(argument: Argument | undefined, anyWord: boolean): boolean {
  if (argument === undefined) return false;
  if (anyWord) return true;
  return argument.kind === 'value' || (argument.kind === 'literal' && !isOption(argument.text));
}

/** `value`: it is allowed and takes the next argument; `null`: it is not allowed. */
function matchOption(text: string, table: OptionTable): 'done' | 'value' | null {
  if (table.numbers && /^-\d+$/.test(text)) return 'done';
  return text.startsWith('--') ? matchLong(text, table) : matchBundle(text.slice(1), table);
}

function matchLong(text: string, { names }: OptionTable): 'done' | 'value' | null {
  const equals = text.indexOf('=');
  const arity = names.get(equals === -1 ? text : text.slice(0, equals));
  if (arity === undefined || (arity === 'none' && equals !== -1)) return null;
  return arity === 'required' && equals === -1 ? 'value' : 'done';
}

function matchBundle(letters: string, { names }: OptionTable): 'done' | 'value' | null {
  for (let index = 0; index < letters.length; index += 1) {
    const arity = names.get(`-${letters.charAt(index)}`);
    if (arity === undefined) return null;
    if (arity === 'optional') return 'done';
    if (arity === 'required') return index === letters.length - 1 ? 'value' : 'done';
  }
  return 'done';
}
