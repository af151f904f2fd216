import type { Argument } from '../arguments.ts';
import { isOneWord, literalTexts, matchOptions, optionTable, type Matched } from '../options.ts';

/** Judges a command that a program is given to run: its name and its arguments. */
export type JudgeCommand = (words: readonly Argument[]) => boolean;

/** Whether a program called with these arguments only reads. */
export type Judge = (given: readonly Argument[], judgeCommand: JudgeCommand) => boolean;

export type Programs = Readonly<Record<string, Judge>>;

export interface ProgramLimits {
  /** See `MatchRequest`: no option of it, listed or not, does more than read. */
  readonly anyWord?: boolean;
  /** See `MatchRequest`. */
  readonly operandsLast?: boolean;
  /** See `MatchRequest`. */
  readonly takesNext?: boolean;
  /** For programs that write to a later operand. */
  readonly maxOperands?: number;
  /** At least one of these options must be given. */
  readonly needs?: string;
  /** A last look at what was given. */
  readonly accepts?: (matched: Matched, judgeCommand: JudgeCommand) => boolean;
}

/** A program that only reads as long as its options are in the table (see `optionTable` for how it is written). */
export function program(options: string, limits: ProgramLimits = {}): Judge {
  const table = optionTable(`${options} --help --version`);
  const { anyWord = false, operandsLast = false, takesNext = false, maxOperands = Infinity, accepts = () => true } = limits;
  const needed = limits.needs?.split(/\s+/);
  return (given, judgeCommand) => {
    const matched = matchOptions({ arguments: given, table, anyWord, operandsLast, takesNext });
    if (matched === null || !isWithin(matched.operands, maxOperands)) return false;
    if (needed !== undefined && !has(matched, needed)) return false;
    return accepts(matched, judgeCommand);
  };
}

/** A program of which only these words are known to only read, such as `--version`. */
export function exactly(...lines: readonly string[]): Judge {
  const allowed = new Set(lines);
  return (given) => {
    const texts = literalTexts(given);
    return texts !== null && texts.every((text) => text !== '' && !text.includes(' ')) && allowed.has(texts.join(' '));
  };
}

/** A program that reads when any of these judges says so. */
export function anyOf(...judges: readonly Judge[]): Judge {
  return (given, judgeCommand) => judges.some((judge) => judge(given, judgeCommand));
}

/** Nothing that this program is given makes it do more than read. */
export const anything: Judge = () => true;

/** Whether one of these options was given. */
export function has({ options }: Matched, names: readonly string[]): boolean {
  return options.some(({ name }) => names.includes(name));
}

/** A pattern or an unknown word may become many operands. */
function isWithin(operands: readonly Argument[], limit: number): boolean {
  return limit === Infinity || (operands.length <= limit && operands.every(isOneWord));
}
