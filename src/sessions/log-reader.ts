// One reader of a log. What is new waits in a bounded inbox; when a slow reader lets it overflow, the inbox is emptied
// and the reader goes back to the store, so that it misses progress but never an event.
import type { EventRow } from '../contract/index.ts';

/** An event as it travels, encoded once for all readers. `seq` is `null` for what is not kept. */
export interface LogItem {
  readonly type: string;
  readonly seq: number | null;
  readonly turnId: string | null;
  readonly json: string;
  /** Of a `gap`: the last number that is missing. */
  readonly through?: number;
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
  #wake: (() => void) | undefined;

  constructor(options: ReaderOptions) {
    this.#options = options;
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

  /** @param release called once, when the reader leaves or the log ends */
  async *items(release: () => void): AsyncGenerator<LogItem, void> {
    const { signal, follow } = this.#options;
    const end = (): void => this.end();
    signal.addEventListener('abort', end, { once: true });
    try {
      let last = this.#options.after;
      const { first } = this.#options.range();
      if (last + 1 < first) {
        yield gap(last + 1, first - 1);
        last = first - 1;
      }
      while (!signal.aborted) {
        const before = last;
        for await (const item of this.#fresh(last)) {
          if (signal.aborted) return;
          last = item.seq ?? item.through ?? last;
          yield item;
        }
        if (this.#inbox.length > 0 || last > before) continue;
        if (!follow || this.#ended) return;
        await new Promise<void>((resolve) => (this.#wake = resolve));
        this.#wake = undefined;
      }
    } finally {
      signal.removeEventListener('abort', end);
      release();
    }
  }

  /** What follows `last`: from the inbox where it continues there, else a page from the store. */
  async *#fresh(last: number): AsyncGenerator<LogItem, void> {
    let next = last + 1;
    const inbox = this.#inbox;
    this.#empty();
    for (const item of inbox) {
      if (item.seq !== null && item.seq < next) continue;
      if (item.seq !== null && item.seq > next) {
        yield* this.#stored(next, item.seq - 1);
      }
      next = (item.seq ?? next - 1) + 1;
      yield item;
    }
    yield* this.#stored(next, this.#options.range().last);
  }

  async *#stored(from: number, to: number): AsyncGenerator<LogItem, void> {
    for (let next = from; next <= to;) {
      const rows = (await this.#options.page(next - 1, Math.min(PAGE_EVENTS, to - next + 1))).filter(({ seq }) => seq <= to);
      const kept = rows[0]?.seq ?? to + 1;
      if (kept > next) yield gap(next, kept - 1);
      for (const row of rows) yield stored(row);
      next = (rows.at(-1)?.seq ?? to) + 1;
    }
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
