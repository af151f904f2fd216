import type { Argument } from '../arguments.ts';
import { matchOptions, optionTable } from '../options.ts';

/** Whether a program called with these arguments only reads. */
export type Judge = (given: readonly Argument[]) => boolean;

export interface ProgramLimits {
  /** See {@link MatchRequest}: no option of it, listed or not, does more than read. */
  readonly anyWord?: boolean;
  /** For programs that write to a later operand. */
  readonly maxOperands?: number;
  /** A last look at the operands. */
  readonly operands?: (operands: readonly Argument[]) => boolean;
}

/** A program that only reads as long as its options are in the table (see `optionTable` for how it is written). */
export function program(options: string, limits: ProgramLimits = {}): Judge {
  const table = optionTable(`${options} --help --version`);
  const { anyWord = false, maxOperands = Infinity, operands: accept = () => true } = limits;
  return (given) => {
    const operands = matchOptions({ arguments: given, table, anyWord });
    if (operands === null) return false;
    return isWithin(operands, maxOperands) && accept(operands);
  };
}

/** A pattern or an unknown word may become many operands. */
function isWithin(operands: readonly Argument[], limit: number): boolean {
  if (limit === Infinity) return true;
  return operands.length <= limit && operands.every(({ kind }) => kind === 'literal' || kind === 'value');
}
