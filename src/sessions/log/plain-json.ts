/** JSON of a value, also where a tool has put something into it that JSON does not know: that then shows as a note. */
export function plainJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return JSON.stringify(value, withoutForeign());
  }
}

/** Writes big integers out and cuts rings where they close. */
function withoutForeign(): (this: unknown, key: string, value: unknown) => unknown {
  const path: unknown[] = [];
  return function replace(this: unknown, _key: string, value: unknown): unknown {
    if (typeof value === 'bigint') return value.toString();
    if (typeof value !== 'object' || value === null) return value;
    while (path.length > 0 && path.at(-1) !== this) path.pop();
    if (path.includes(value)) return '(refers to itself)';
    path.push(value);
    return value;
  };
}
