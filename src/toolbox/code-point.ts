/** Orders text by code point, whatever the locale of the host. For `Array.sort`. */
export function byCodePoint(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
