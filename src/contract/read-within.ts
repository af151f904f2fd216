/** Reads a body to its end. One that has more than `maxBytes` is left there, which ends its exchange: `bytes` are then its beginning. */
export async function readWithin(body: AsyncIterable<Uint8Array> | null, maxBytes: number): Promise<{ bytes: Buffer; cut: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > maxBytes) return { bytes: Buffer.concat(chunks, maxBytes), cut: true };
  }
  return { bytes: Buffer.concat(chunks, size), cut: false };
}
