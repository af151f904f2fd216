/** Characters of a value as JSON; `Infinity` for one that is nested too deeply to be written. */
export function jsonLength(value: unknown): number {
  try {
    return JSON.stringify(value)?.length ?? 0;
  } catch {
    // The stack was not enough for it: nobody else could read it either.
    return Infinity;
  }
}
