/** How many bytes at the end of `bytes` begin a UTF-8 character that is not complete yet: 0 to 3. */
export function incompleteTail(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    return sequenceLength(byte) > back ? back : 0;
  }
  return 0;
}

/** How many bytes at the start of `bytes` continue a character whose beginning is not there: 0 to 3. */
export function orphanedHead(bytes: Uint8Array): number {
  let count = 0;
  while (count < 3 && isContinuation(bytes[count] ?? 0)) count += 1;
  return count;
}

function isContinuation(byte: number): boolean {
  return (byte & 0b1100_0000) === 0b1000_0000;
}

function sequenceLength(lead: number): number {
  if (lead >= 0b1111_0000) return 4;
  if (lead >= 0b1110_0000) return 3;
  return lead >= 0b1100_0000 ? 2 : 1;
}
