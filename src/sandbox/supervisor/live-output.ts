// Live output for a reader that may be slow: coalesced, cut to the newest part in a flood, never inside a character.
import { incompleteTail, orphanedHead } from '../../contract/utf8.ts';

const INTERVAL_MS = 50;
const MAX_BYTES = 16_384;

export interface LiveOutput {
  add(chunk: Buffer): void;
  /** Sends what waits; nothing may be added after. */
  finish(): void;
}

/** @param send gets the byte offset of `text` in the whole output, and says when it is ready for more */
export function createLiveOutput(send: (piece: { offset: number; text: string }, sent: () => void) => void): LiveOutput {
  let waiting = Buffer.alloc(0);
  let offset = 0;
  let timer: NodeJS.Timeout | undefined;
  let sending = false;

  function add(chunk: Buffer): void {
    const end = offset + waiting.length + chunk.length;
    waiting = Buffer.concat([waiting, chunk.subarray(-MAX_BYTES)]);
    if (offset + waiting.length < end || waiting.length > MAX_BYTES) skipTo(end);
    timer ??= setTimeout(flush, INTERVAL_MS);
  }

  /** Keeps the newest bytes only, from the start of a character on. */
  function skipTo(end: number): void {
    const kept = waiting.subarray(-MAX_BYTES);
    waiting = kept.subarray(orphanedHead(kept));
    offset = end - waiting.length;
  }

  function flush(): void {
    timer = undefined;
    if (sending) {
      timer = setTimeout(flush, INTERVAL_MS);
      return;
    }
    emit(waiting.length - incompleteTail(waiting));
  }

  function emit(bytes: number): void {
    if (bytes === 0) return;
    const piece = { offset, text: waiting.toString('utf8', 0, bytes) };
    offset += bytes;
    waiting = waiting.subarray(bytes);
    sending = true;
    send(piece, () => (sending = false));
  }

  return {
    add,
    finish() {
      clearTimeout(timer);
      emit(waiting.length);
    },
  };
}
