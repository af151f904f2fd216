/** Counts within windows of time. Nodes behind one address need one that they share. */
export interface RateCounter {
  /**
   * Adds one to the count of a key in its window, which begins with its first count.
   * @param windowMs length of the window in milliseconds
   * @returns the count, this one included, and the milliseconds until the window ends
   */
  add(key: string, windowMs: number): Promise<{ readonly count: number; readonly endsInMs: number }>;
}
