/** Orders texts by Unicode code point, which is also the order of their bytes in UTF-8, whatever the locale. For `toSorted`. */
export function byCodePoint(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at += 1) {
    const difference = rank(one.charCodeAt(at)) - rank(other.charCodeAt(at));
    if (difference !== 0) return difference;
  }
  return one.length - other.length;
}

/** Halves of code points beyond the first 65,536 stand in the middle of UTF-16, and belong to its end. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
