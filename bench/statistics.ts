/** The middle value, or the mean of the middle two. @throws RangeError without values */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined) throw new RangeError('There is no median of no values.');
  return (lower + upper) / 2;
}

/** The smallest value that so large a part of all values does not exceed. @param part more than 0, at most 1. @throws RangeError without values */
export function percentile(values: readonly number[], part: number): number {
  const value = values.toSorted((a, b) => a - b)[Math.ceil(values.length * part) - 1];
  if (value === undefined) throw new RangeError('There is no percentile of no values.');
  return value;
}

export function spread(values: readonly number[]): { low: number; high: number } {
  return { low: Math.min(...values), high: Math.max(...values) };
}
