/** Levels of lists and objects that are looked into: results and their views have fewer. */
const MAX_DEPTH = 6;

/**
 * The same with U+FFFD for each half of a surrogate pair in its texts: JSON can carry such a half only as an escape, and many
 * parsers then refuse the whole.
 */
export function wellFormed<Value>(value: Value): Value {
  // Nothing but texts is changed, and each stays a text.
  return isWellFormed(value, MAX_DEPTH) ? value : (mended(value, MAX_DEPTH) as Value);
}

/** Nearly all are: they are looked at, and not copied. */
function isWellFormed(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null || depth === 0) return true;
  return Object.values(value).every((item) => isWellFormed(item, depth - 1));
}

function mended(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return value.isWellFormed() ? value : value.toWellFormed();
  if (typeof value !== 'object' || value === null || depth === 0) return value;
  if (Array.isArray(value)) return value.map((item) => mended(item, depth - 1));
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mended(inner, depth - 1)]));
}
