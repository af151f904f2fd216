// What a value must be, in the words that models get whichever validator looked at it: they stand after the parameter's name.

/** What is counted: the characters of a text, the items of a list, the keys of an object; a number is just compared. */
export type Measured = 'characters' | 'items' | 'keys' | 'number';

export interface Bound {
  readonly measured: Measured;
  readonly limit: number | bigint;
  /** False when the limit itself is not allowed. */
  readonly inclusive: boolean;
}

export function atLeast({ measured, limit, inclusive }: Bound): string {
  if (measured === 'number') return inclusive ? `must be at least ${limit}` : `must be greater than ${limit}`;
  const least = inclusive ? limit : Number(limit) + 1;
  return Number(least) === 1 ? 'must not be empty' : `must have at least ${least} ${measured}`;
}

export function atMost({ measured, limit, inclusive }: Bound): string {
  if (measured === 'number') return inclusive ? `must be at most ${limit}` : `must be less than ${limit}`;
  const most = inclusive ? limit : Number(limit) - 1;
  return Number(most) === 0 ? 'must be empty' : `must have at most ${most} ${measured}`;
}

export function exactly({ measured, limit }: Bound): string {
  return measured === 'number' ? `must be ${limit}` : `must have exactly ${limit} ${measured}`;
}

export const multipleOf = (divisor: unknown): string => `must be a multiple of ${String(divisor)}`;
export const ofFormat = (format: string): string => `must be a valid ${format.replaceAll('_', ' ')}`;
export const WHOLE_NUMBER = 'must be a whole number';
export const FINITE_NUMBER = 'must be a finite number';
export const NO_FORM = 'has none of the forms that the tool takes';
export const NOT_ALLOWED = 'has a value that the tool does not take';
export const UNKNOWN_NAME = 'has a name that the tool does not take';
