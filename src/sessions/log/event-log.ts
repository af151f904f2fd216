// A session's one log. Appending numbers, dates and encodes events once, keeps them, and only then hands them to the
// readers. JSON, SSE and WebSocket are thin readers of it; progress passes by live and is not kept.
import {
  Problem,
  StaleEpochError,
  type CallRow,
  type EngineEvent,
  type Lease,
  type LoggedEventBody,
  type SessionRow,
  type Store,
  type TurnRow,
} from '../../contract/index.ts';
import { LogReader, type LogItem } from './log-reader.ts';
import { plainJson } from './plain-json.ts';

/** How far over its limits a log may grow before it is trimmed, so that not every turn has to. */
const SLACK = 0.1;

export interface LogLimits {
  /** Events kept a session; older ones are dropped and readers told of the gap. */
  readonly events: number;
  /** Turns kept a session. */
  readonly turns: number;
}

export interface AppendRequest {
  readonly events: readonly LoggedEventBody[];
  readonly turnId?: string;
  readonly turn?: TurnRow;
  readonly calls?: readonly CallRow[];
  readonly session?: SessionRow;
}

export class EventLog {
  readonly #sessionId: string;
  readonly #lease: Lease;
  readonly #store: Store;
  readonly #limits: LogLimits;
  readonly #readers = new Set<LogReader>();
  #first: number;
  #last: number;
  /** Last `seq` that is safe in the store. */
  #kept: number;
  #trimming = false;
  #closed = false;
  #firstOrdinal = 0;
  #failure: unknown;
  #newest: Promise<unknown> = Promise.resolve();
  #released = false;

  constructor(options: { lease: Lease; store: Store; limits: LogLimits; range: { first: number; last: number } }) {
    this.#lease = options.lease;
    this.#sessionId = options.lease.sessionId;
    this.#store = options.store;
    this.#limits = options.limits;
    this.#first = options.range.first;
    this.#last = this.#kept = options.range.last;
  }

  get lastSeq(): number {
    return this.#kept;
  }

  /** The number that the next appended event gets. */
  get nextSeq(): number {
    return this.#last + 1;
  }

  get hasReaders(): boolean {
    return this.#readers.size > 0;
  }

  /** Events by which its slowest reader is behind. */
  get readerLag(): number {
    return [...this.#readers].reduce((most, { lag }) => Math.max(most, lag), 0);
  }

  /** True once something could not be kept: what comes after would not follow it, so nothing is taken any more. */
  get failed(): boolean {
    return this.#failure !== undefined || (this.#lease.lost.aborted && !this.#released);
  }

  /** Whether something may be begun in the session now: asked right before each effect. */
  isHeld(): boolean {
    return this.#lease.isHeld();
  }

  /** Keeps events and rows in one step, then sends the events. @returns the events as they travel. @throws Problem `store-unavailable` */
  append(request: AppendRequest): Promise<readonly LogItem[]> {
    // Appends are kept in the order in which they were asked for.
    return (this.#newest = this.#append(request));
  }

  /** Resolves when all that was appended so far is kept. @throws Problem `store-unavailable` */
  async keptAll(): Promise<void> {
    await this.#newest;
  }

  async #append(request: AppendRequest): Promise<readonly LogItem[]> {
    if (!this.#lease.isHeld()) this.#failure ??= takenOver(this.#sessionId);
    if (this.#failure !== undefined) throw this.#failure;
    const { turnId, turn, calls, session } = request;
    const items = request.events.map((event) => this.#encode(event, turnId));
    const rows = items.map(({ seq, json }) => ({ seq, json }));
    try {
      await this.#store.commit({
        sessionId: this.#sessionId,
        epoch: this.#lease.epoch,
        until: this.#lease.lost,
        ...(rows.length > 0 && { events: rows }),
        ...(turn && { turn }),
        ...(calls && calls.length > 0 && { calls }),
        ...(session && { session }),
      });
    } catch (error) {
      const stale = error instanceof StaleEpochError;
      this.#failure ??= stale ? takenOver(this.#sessionId) : error;
      // Nothing may be begun here any more, and what runs ends.
      if (stale) void this.#lease.release();
      throw this.#failure;
    }
    // One that brings no events fits also behind others that were lost.
    if (this.#failure !== undefined) throw this.#failure;
    if (items.length > 0) this.#kept = items.at(-1)?.seq ?? this.#kept;
    for (const reader of this.#readers) reader.offer(items);
    if (turn?.open === false) await this.#trimAfter(turn);
    return items;
  }

  /** Sends progress to whoever reads now. */
  live(event: Extract<EngineEvent, { type: 'progress' }>, turnId: string): void {
    if (this.#readers.size === 0 || this.failed) return;
    const json = this.#withHead(event.type, plainJson(event), { turnId });
    for (const reader of this.#readers) reader.offer([{ type: event.type, seq: null, turnId, json, after: this.#kept }]);
  }

  /**
   * Events after `after`, in order and without a gap, then live ones while `follow`. Where the log was trimmed before
   * that, a `gap` event comes first. A slow reader gets less progress, never fewer events.
   */
  read(query: { after: number; follow: boolean; signal: AbortSignal }): AsyncGenerator<LogItem[], void> {
    const reader = new LogReader({
      ...query,
      range: () => ({ first: this.#first, last: this.#kept }),
      page: (after, limit) => this.#store.events({ sessionId: this.#sessionId, after, limit }),
    });
    if (this.#closed) reader.end();
    return reader.batches({ begin: () => this.#readers.add(reader), end: () => this.#readers.delete(reader) });
  }

  /** Fires when nothing may be begun here any more: another node takes the session over, or it was given up. */
  get lost(): AbortSignal {
    return this.#lease.lost;
  }

  /** Gives the session to whoever asks next. What was started must have ended. Never rejects. */
  async release(): Promise<void> {
    this.close();
    this.#released = true;
    await this.#lease.release();
  }

  /** Ends every reader after what it still has, also those that come later. */
  close(): void {
    this.#closed = true;
    for (const reader of this.#readers) reader.end();
  }

  /** The head goes in right after the type, so that the rest is encoded once and copied never. */
  #encode(event: LoggedEventBody, turnId: string | undefined): LogItem & { seq: number } {
    const body = plainJson(event);
    const seq = ++this.#last;
    return { type: event.type, seq, turnId: turnId ?? null, json: this.#withHead(event.type, body, { seq, turnId }) };
  }

  #withHead(type: string, body: string, { seq, turnId }: { seq?: number; turnId: string | undefined }): string {
    const open = `{"type":"${type}"`;
    if (!body.startsWith(open)) throw new TypeError(`An event must begin with its type: ${type}`);
    const number = seq === undefined ? '' : `,"seq":${seq}`;
    const turn = turnId === undefined ? '' : `,"turn_id":"${turnId}"`;
    return `${open}${number},"time":"${isoNow()}","session_id":"${this.#sessionId}"${turn}${body.slice(open.length)}`;
  }

  /** Only between turns: an open turn is folded again from the log after a crash. What cannot be trimmed now is later. */
  async #trimAfter(turn: TurnRow): Promise<void> {
    if (this.#trimming) return;
    const { events, turns } = this.#limits;
    const seq = Math.max(this.#first, this.#kept - events + 1);
    const ordinal = Math.max(0, turn.ordinal - turns);
    if (seq - this.#first < events * SLACK && ordinal - this.#firstOrdinal < turns * SLACK) return;
    this.#trimming = true;
    try {
      await this.#store.trim(this.#sessionId, { seq, ordinal });
      this.#first = seq;
      this.#firstOrdinal = ordinal;
    } catch {
      // The turn is kept all the same; the next one tries again.
    } finally {
      this.#trimming = false;
    }
  }
}

function takenOver(sessionId: string): Problem {
  return new Problem('store-unavailable', `Another node may have taken over session ${sessionId}: try again.`, { retryAfterSeconds: 1 });
}

let clock = { ms: 0, iso: '' };

/** The present, written out once a millisecond. */
function isoNow(): string {
  const ms = Date.now();
  if (ms !== clock.ms) clock = { ms, iso: new Date(ms).toISOString() };
  return clock.iso;
}
