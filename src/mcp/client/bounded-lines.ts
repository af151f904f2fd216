import type { Readable } from 'node:stream';

/** Lines of UTF-8 without their ends; what stands behind the last one is no line. @throws Error when one is longer than that */
export async function* boundedLines(stream: Readable, maxBytes: number): AsyncGenerator<string, void> {
  let parts: Buffer[] = [];
  let kept = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, end)])
        .toString('utf8')
        .trimEnd();
      [parts, kept, from] = [[], 0, end + 1];
    }
    parts.push(chunk.subarray(from));
    kept += chunk.length - from;
    if (kept > maxBytes) throw new Error(`It sent a message of more than ${maxBytes} bytes.`);
  }
}
