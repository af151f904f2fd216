// One reader of a log. What is new waits in a bounded inbox; when a slow reader lets it overflow, the inbox is emptied
// and the reader goes back to the store, so that it misses progress but never an event.
import type { EventRow } from '../../contract/index.ts';

/** An event as it travels, encoded once for all readers. `seq` is `null` for what is not kept. */
export interface LogItem {
  readonly type: string;
  readonly seq: number | null;
  readonly turnId: string | null;
  readonly json: string;
  /** Of a `gap`: the last number that is missing. */
  readonly through?: number;
  /** Of what is not kept: the number of the last event before it. */
  readonly after?: number;
}

interface ReaderOptions {
  readonly after: number;
  readonly follow: boolean;
  readonly signal: AbortSignal;
  readonly range: () => { first: number; last: number };
  readonly page: (after: number, limit: number) => Promise<EventRow[]>;
}

const INBOX_ITEMS = 1_000;
const INBOX_CHARS = 4_000_000;
const PAGE_EVENTS = 200;

export class LogReader {
  readonly #options: ReaderOptions;
  #inbox: LogItem[] = [];
  #inboxChars = 0;
  #ended = false;
  /** Number of the last event that its consumer is done with. */
  #last: number;
  #wake: (() => void) | undefined;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#last = options.after;
  }

  /** Events that are kept and that its consumer is not done with yet. */
  get lag(): number {
    return Math.max(0, this.#options.range().last - this.#last);
  }

  /** Takes new items without ever waiting. */
  offer(items: readonly LogItem[]): void {
    for (const item of items) {
      this.#inbox.push(item);
      this.#inboxChars += item.json.length;
    }
    if (this.#inbox.length > INBOX_ITEMS || this.#inboxChars > INBOX_CHARS) this.#empty();
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /**
   * Items in order, as many at a time as are there.
   * @param reading told when the reading begins, and once when the reader leaves or the log ends
   */
  async *batches(reading: { begin: () => void; end: () => void }): AsyncGenerator<LogItem[], void> {
    const { signal, follow, range } = this.#options;
    const end = (): void => this.end();
    reading.begin();
    signal.addEventListener('abort', end, { once: true });
    try {
      for (let last = this.#options.after; !signal.aborted;) {
        const items = this.#waiting(last) ?? (await this.#stored(last));
        if (items.length > 0) {
          for (const { seq, through } of items) last = seq ?? through ?? last;
          yield items;
          this.#last = last;
        } else if (last >= range().last) {
          if (!follow || this.#ended) return;
          await new Promise<void>((resolve) => (this.#wake = resolve));
          this.#wake = undefined;
        }
      }
    } finally {
      signal.removeEventListener('abort', end);
      reading.end();
    }
  }

  /** What waits in the inbox, as far as it follows `last` without a gap; `null` when the store must be asked first. */
  #waiting(last: number): LogItem[] | null {
    if (this.#follows(last)) {
      const all = this.#inbox;
      this.#empty();
      return all;
    }
    const waiting = this.#inbox.filter(({ seq, after }) => (seq === null ? (after ?? last) >= last : seq > last));
    let next = last + 1;
    let count = 0;
    for (const { seq } of waiting) {
      if (seq !== null && seq !== next) break;
      if (seq !== null) next += 1;
      count += 1;
    }
    if (count === 0 && (waiting.length > 0 || last < this.#options.range().last)) return null;
    this.#inbox = waiting.slice(count);
    this.#inboxChars = this.#inbox.reduce((sum, { json }) => sum + json.length, 0);
    return waiting.slice(0, count);
  }

  /** What there is most of the time: events alone, each the next. */
  #follows(last: number): boolean {
    return this.#inbox.length > 0 && this.#inbox.every(({ seq }, index) => seq === last + 1 + index);
  }

  async #stored(last: number): Promise<LogItem[]> {
    const to = this.#options.range().last;
    const rows = await this.#options.page(last, Math.max(1, Math.min(PAGE_EVENTS, to - last)));
    const kept = rows[0]?.seq ?? to + 1;
    return kept > last + 1 ? [gap(last + 1, kept - 1), ...rows.map(stored)] : rows.map(stored);
  }

  #empty(): void {
    this.#inbox = [];
    this.#inboxChars = 0;
  }
}

function stored({ seq, json }: EventRow): LogItem {
  // Only the head is needed here, and it stands first: the event is not decoded to be sent.
  const head = /^\{"type":"([a-z_]+)","seq":\d+,"time":"[^"]*","session_id":"[^"]*"(?:,"turn_id":"([^"]*)")?/.exec(json);
  return { type: head?.[1] ?? 'unknown', seq, turnId: head?.[2] ?? null, json };
}

function gap(from: number, to: number): LogItem {
  return { type: 'gap', seq: null, turnId: null, json: JSON.stringify({ type: 'gap', from, to }), through: to };
}
