/** Keeps the first bytes of a stream, and reads and drops the rest. @returns what there is so far */
export function streamHead(stream: NodeJS.ReadableStream, maxBytes: number): () => Buffer {
  const chunks: Buffer[] = [];
  let kept = 0;
  stream.on('data', (chunk: Buffer) => {
    const part = chunk.subarray(0, maxBytes - kept);
    kept += part.length;
    if (part.length > 0) chunks.push(part);
  });
  return () => Buffer.concat(chunks);
}
