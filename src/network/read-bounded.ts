import { FetchError } from './fetch-error.ts';

/** @throws FetchError `too_large` as soon as more than `maxBytes` came; the rest is not read */
export async function readBounded(body: AsyncIterable<Uint8Array> | null, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    // Leaving the loop ends the body and its connection.
    if (size > maxBytes) throw new FetchError('too_large', `The answer is larger than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}
