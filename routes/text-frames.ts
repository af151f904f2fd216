/** Bytes of the longest head of a frame that is not masked. */
const MOST_HEAD_BYTES = 10;
const FINAL_TEXT = 0x81;

/**
 * Texts as WebSocket frames in one buffer, as a server sends them: each whole, unmasked and uncompressed (RFC 6455, 5.2). Sent
 * one by one each text costs two writes into the connection's stream.
 */
export function textFrames(texts: readonly string[]): Buffer {
  const sizes = texts.map((text) => Buffer.byteLength(text));
  const frames = Buffer.allocUnsafe(sizes.reduce((sum, size) => sum + MOST_HEAD_BYTES + size, 0));
  let at = 0;
  for (const [index, text] of texts.entries()) {
    at = writeHead(frames, at, sizes[index] ?? 0);
    at += frames.write(text, at);
  }
  return frames.subarray(0, at);
}

function writeHead(frames: Buffer, at: number, size: number): number {
  frames[at] = FINAL_TEXT;
  if (size < 126) {
    frames[at + 1] = size;
    return at + 2;
  }
  if (size < 65_536) {
    frames[at + 1] = 126;
    return frames.writeUInt16BE(size, at + 2);
  }
  frames[at + 1] = 127;
  return frames.writeBigUInt64BE(BigInt(size), at + 2);
}
