// A fetch whose answers are bounded by the message: a whole JSON answer, or one event of a stream that may last for days.
import type { Fetch } from './ports.ts';

const LINE_FEED = 10;
const RETURN = 13;

export interface MessageBounds {
  readonly messageBytes: number;
  readonly onTooLong: (reason: string) => void;
}

/** Bodies end with an Error as soon as one message in them has more bytes than that. */
export function boundedFetch(fetch: Fetch, bounds: MessageBounds): Fetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    const { body, status, statusText, headers } = response;
    if (body === null) return response;
    const isStream = /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');
    const bounded = new Response(body.pipeThrough(limit(bounds, isStream)), { status, statusText, headers });
    // Redirects are followed by whoever asks, by what stands here.
    Object.defineProperty(bounded, 'url', { value: response.url });
    return bounded;
  };
}

function limit({ messageBytes, onTooLong }: MessageBounds, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  let lastByte = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const begin = isStream ? lastEventEnd(chunk, lastByte) : -1;
      size = begin === -1 ? size + chunk.length : chunk.length - begin;
      lastByte = chunk.at(-1) ?? lastByte;
      if (size <= messageBytes) return controller.enqueue(chunk);
      const reason = `It sent a message of more than ${messageBytes} bytes.`;
      controller.error(new Error(reason));
      onTooLong(reason);
    },
  });
}

/** Where what follows the last empty line begins; -1 where there is none. Lines end with `\n`, `\r` or both. */
function lastEventEnd(chunk: Uint8Array, before: number): number {
  for (let index = chunk.length - 1; index >= 0; index -= 1) {
    const here = chunk[index];
    if (here !== LINE_FEED && here !== RETURN) continue;
    const previous = index === 0 ? before : chunk[index - 1];
    // `\r\n` ends one line only.
    if (previous === LINE_FEED || (previous === RETURN && here === RETURN)) return index + 1;
  }
  return -1;
}
