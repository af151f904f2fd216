// Sees every message of a server before the SDK does.
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import type { ListedPages } from './listed-pages.ts';

/** Requests and notifications in one second: no server has that much to tell. */
const MAX_PER_SECOND = 2_000;
const SECOND_MS = 1_000;

export interface MessageGuard {
  readonly pages: Pick<ListedPages, 'cut'>;
  /** The server tells more than anybody can use. */
  readonly onFlood: () => void;
}

/** @returns what is to be called with each message, in order */
export function guardMessages({ pages, onFlood }: MessageGuard): (message: JSONRPCMessage) => void {
  let count = 0;
  let since = 0;
  return (message) => {
    if ('result' in message) {
      if (Array.isArray(message.result['tools'])) pages.cut(message.result);
      return;
    }
    if (!('method' in message)) return;
    const now = performance.now();
    if (now - since > SECOND_MS) [count, since] = [0, now];
    count += 1;
    if (count === MAX_PER_SECOND) onFlood();
  };
}
