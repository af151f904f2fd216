// What a client hears of a session's log. It is compared with what anybody has heard before under the same number.
import { isDeepStrictEqual } from 'node:util';
import type { LoggedEvent } from '../../src/contract/index.ts';
import type { SessionClient } from './session-client.ts';

/** Any event, also one that only this connection gets. */
export type WireEvent = LoggedEvent | ConnectionEvent;

export interface ConnectionEvent {
  readonly type: 'session' | 'gap' | 'ack' | 'error' | 'pong' | 'progress';
  readonly seq?: undefined;
  readonly [key: string]: unknown;
}

export interface Stream {
  /** Number of the last event that it has given. */
  readonly last: number;
  /** Takes an event as it came. @returns it, if it is one of the log */
  take(event: WireEvent): LoggedEvent | undefined;
}

export interface StreamOptions {
  /** The number after which it is to go on. */
  readonly after: number;
  /** Whether it gives all events, and not those of one turn alone. */
  readonly whole: boolean;
}

/** A stream of events that may break off and be resumed: it gives each once, in order. */
export function readStream({ plan: { tag }, seen, ledger, endedCalls }: SessionClient, { after, whole }: StreamOptions): Stream {
  let last = after;
  return {
    get last() {
      return last;
    },
    take(event) {
      if (event.type === 'gap') ledger.violate(tag, 'a stream has a gap', JSON.stringify(event));
      if (event.seq === undefined) return undefined;
      const { seq } = event;
      if (seq <= last || (whole && seq > last + 1)) ledger.violate(tag, `a stream gave event ${seq} after ${last}`, JSON.stringify(event));
      last = Math.max(last, seq);
      const before = seen.get(seq);
      if (before === undefined) seen.set(seq, event);
      else if (!isDeepStrictEqual(before, event)) {
        ledger.violate(tag, `event ${seq} was another one before`, `${JSON.stringify(before)}\nthen ${JSON.stringify(event)}`);
      }
      const ends = event.type === 'call_finished' || event.type === 'tool_result';
      if (ends && !endedCalls.has(event.tool_use_id)) endedCalls.set(event.tool_use_id, performance.now());
      return event;
    },
  };
}

/** The events of a Server-Sent Events body as they come. @throws Error when it breaks off */
export async function* eventsOf(body: AsyncIterable<Buffer>): AsyncGenerator<WireEvent, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of body) {
    const lines = (rest + decoder.decode(piece, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data: ')) yield JSON.parse(line.slice('data: '.length)) as WireEvent;
  }
}
