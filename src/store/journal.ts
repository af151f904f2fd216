// Between writers and tables. A write that is known to fit is one record of the journal and is acknowledged with it; the
// tables get it soon after, merged with its neighbours, in one transaction of another thread. There are two files: while the
// tables get what one of them holds, the other takes the records, and what the tables have is cleared.
//
// Everything has a position, and the tables know theirs. So a record that they have is passed over when the journal is read
// again, and one that does not follow the last one, as a power failure may leave it, ends the reading.
import { rmSync } from 'node:fs';
import { openJournalFile, type JournalContent, type JournalFile } from './journal-file.ts';
import { encodeRecord } from './journal-record.ts';
import { addWrite, batchOf, nothingPending, type Batch, type Pending } from './pending.ts';
import { replay, setAside } from './replay.ts';
import type { StoredWrite } from './stored-write.ts';

/** Milliseconds for which commits are gathered. */
const GATHER_MS = 50;
/** Rows after which the tables get them with the next turn of the event loop. */
const ROWS = 512;
const BYTES = 1024 * 1024;
/** How many times as much may wait while the tables are slow, or cannot be written, before a writer has to wait for them. */
const PATIENCE = 16;
/** Milliseconds before it is tried again when the tables could not be written. */
const RETRY_MS = 1_000;

/** What the journal needs of the tables. */
export interface JournalTables {
  /** Position of the tables at first. */
  readonly position: number;
  /** Writes all of it, or throws and nothing is. */
  readonly apply: (batch: Batch, position: number) => Promise<void>;
  /** Syncs what the tables have to the disk. */
  readonly checkpoint: () => Promise<void>;
}

export interface JournalOptions {
  /** Of its two files, in any order. */
  readonly paths: readonly [string, string];
  readonly tables: JournalTables;
  /** Told of what a person should know. */
  readonly warn: (message: string) => void;
}

/** What the tables are about to get, and the file that holds it meanwhile. */
interface Leaving {
  readonly pending: Pending;
  readonly position: number;
  readonly file: JournalFile;
}

/** The journal of an open store file: holds its own files, and a timer while something is pending. */
export class Journal {
  readonly #options: JournalOptions;
  /** The one that takes records, and the other. */
  #files: [JournalFile, JournalFile];
  #pending = nothingPending();
  #leaving: Leaving | undefined;
  /** Of the last record. */
  #position: number;
  /** How far the tables have come. */
  #applied: number;
  /** While the tables get something. */
  #underway: Promise<void> | undefined;
  /** While something writes that no record may come before. */
  #gate: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;
  /** The tables could not be written when it was tried last. */
  #failing = false;

  private constructor(options: JournalOptions, files: [JournalFile, JournalFile], position: number) {
    this.#options = options;
    this.#files = files;
    this.#position = this.#applied = position;
  }

  /** Opens the journal beside a store file, and brings into the tables what it holds. @throws Error when that cannot be done */
  static async open(options: JournalOptions): Promise<Journal> {
    const { paths, tables, warn } = options;
    const opened: { file: JournalFile; content: JournalContent }[] = [];
    try {
      for (const path of paths) opened.push(openJournalFile(path));
      const { pending, position, leftOut } = replay(
        opened.map(({ content }) => content),
        tables.position,
      );
      const message = leftOut ? setAside(paths) : undefined;
      if (pending.bytes > 0) {
        await tables.apply(batchOf(pending), position);
        await tables.checkpoint();
      }
      for (const { file } of opened) file.empty();
      if (message !== undefined) warn(message);
      const [one, other] = opened.map(({ file }) => file) as [JournalFile, JournalFile];
      return new Journal(options, [one, other], position);
    } catch (error) {
      for (const { file } of opened) file.close();
      throw error;
    }
  }

  /** What the tables may not have yet, the newest first. */
  get pending(): Pending[] {
    return this.#leaving === undefined ? [this.#pending] : [this.#pending, this.#leaving.pending];
  }

  /** Whether a write may be appended now. */
  get hasRoom(): boolean {
    return this.#gate === undefined && !this.#isOver(PATIENCE);
  }

  /** Resolves when there may be room: to be looked at again. @throws Error of the tables, when too much is pending because of it */
  async room(): Promise<void> {
    await (this.#gate ?? this.#bringIn());
  }

  /**
   * Keeps a write that is known to fit, where there is room.
   * @param fresh the tables have nothing of its session
   * @throws Error of the file system; nothing of it is kept then
   */
  append(write: StoredWrite, fresh = false): void {
    const bytes = this.#files[0].append(encodeRecord(this.#position + 1, write));
    this.#position += 1;
    addWrite(this.#pending, write, { bytes, fresh });
    this.#schedule();
  }

  /**
   * Lets something write to the tables behind all that is pending; no record is taken meanwhile.
   * @param write gets the position that it is to note
   */
  async alone<T>(write: (position: number) => Promise<T>): Promise<T> {
    while (this.#gate !== undefined) await this.#gate;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#gate = promise;
    try {
      await this.settle();
      const value = await write(this.#position + 1);
      this.#applied = this.#position += 1;
      return value;
    } finally {
      this.#gate = undefined;
      resolve();
    }
  }

  /** Resolves when the tables have all that has been appended so far, if there is anything of this session. @throws Error of the tables */
  async settle(sessionId?: string): Promise<void> {
    const position = this.#position;
    const waits = (): boolean =>
      this.#applied < position &&
      this.pending.some(({ sessions, bytes }) => (sessionId === undefined ? bytes > 0 : sessions.has(sessionId)));
    while (waits()) await this.#bringIn();
  }

  /** Settles, and takes the journal away; what cannot be settled stays in it for the next start. */
  async close(): Promise<void> {
    const { paths, warn } = this.#options;
    try {
      await this.settle();
    } catch (error) {
      const kept = paths.join(' and ');
      warn(
        `The last writes could not be brought into the store file (${String(error)}). The next start reads them from ${kept}: keep them.`,
      );
    }
    this.#unschedule();
    for (const file of this.#files) file.close();
    if (this.#applied === this.#position) for (const path of paths) rmSync(path, { force: true });
  }

  /** Lets the tables get what is pending, or waits until they have what they are getting. @throws Error of the tables, with nothing written */
  #bringIn(): Promise<void> {
    this.#unschedule();
    return (this.#underway ??= this.#apply().finally(() => {
      this.#underway = undefined;
      if (this.pending.some(({ bytes }) => bytes > 0)) this.#schedule();
    }));
  }

  async #apply(): Promise<void> {
    const { tables, warn } = this.#options;
    const { pending, position, file } = (this.#leaving ??= this.#turnOver());
    try {
      await tables.apply(batchOf(pending), position);
    } catch (error) {
      if (!this.#failing) warn(`The store file cannot be written (${String(error)}): its journal takes the writes for now.`);
      this.#failing = true;
      throw error;
    }
    this.#failing = false;
    this.#applied = position;
    this.#leaving = undefined;
    file.clear();
  }

  /** From now on the other file takes the records. */
  #turnOver(): Leaving {
    const leaving = { pending: this.#pending, position: this.#position, file: this.#files[0] };
    this.#files = [this.#files[1], this.#files[0]];
    this.#pending = nothingPending();
    return leaving;
  }

  #isOver(times: number): boolean {
    const { rows, bytes } = this.#pending;
    return rows >= ROWS * times || bytes >= BYTES * times;
  }

  #schedule(): void {
    // What comes meanwhile is looked at when that is done.
    if (this.#underway !== undefined) return;
    if (!this.#failing && this.#isOver(1)) this.#immediate ??= setImmediate(() => this.#bringInLater());
    else this.#timer ??= setTimeout(() => this.#bringInLater(), this.#failing ? RETRY_MS : GATHER_MS).unref();
  }

  #bringInLater(): void {
    this.#bringIn().catch(() => {
      // It was told, and is tried again.
    });
  }

  #unschedule(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
    this.#timer = this.#immediate = undefined;
  }
}
