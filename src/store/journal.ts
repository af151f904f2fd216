// Between writers and tables. A write that is known to fit is one record of the journal and is acknowledged with it; the
// tables get it soon after, merged with its neighbours, in one transaction, and then the journal is cleared. Whatever else
// writes goes into the tables at once, behind all that is pending.
//
// Everything has a position, and the tables know theirs. So a record that they have is passed over when the journal is read
// again, and one that does not follow the last one, as a power failure may leave it, ends the reading.
import { rmSync } from 'node:fs';
import { openJournalFile, type JournalFile } from './journal-file.ts';
import { encodeRecord } from './journal-record.ts';
import { addWrite, applyPending, nothingPending, type Pending } from './pending.ts';
import { replay, setAside } from './replay.ts';
import type { Tables, Transaction } from './sqlite-tables.ts';
import type { StoredWrite } from './stored-write.ts';

/** Milliseconds for which commits are gathered. */
const GATHER_MS = 50;
/** Rows after which they are applied with the next turn of the event loop: about two milliseconds of work. */
const ROWS = 256;
const BYTES = 1024 * 1024;
/** How many times as much may wait while the event loop is held, or the tables cannot be written, before a writer has to wait for them. */
const PATIENCE = 16;
/** Milliseconds before it is tried again when the tables could not be written. */
const RETRY_MS = 1_000;

export interface JournalOptions {
  readonly path: string;
  readonly tables: Tables;
  readonly transaction: Transaction;
  /** Syncs what the tables have to the disk. */
  readonly checkpoint: () => void;
  /** Told of what a person should know. */
  readonly warn: (message: string) => void;
}

/** The journal of an open store file: holds its own file, and a timer while something is pending. */
export class Journal {
  readonly #options: JournalOptions;
  readonly #file: JournalFile;
  #pending = nothingPending();
  #position: number;
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;
  /** The tables could not be written when it was tried last. */
  #failing = false;

  /** Opens the journal beside a store file, and brings into the tables what it holds. @throws Error when that cannot be done */
  constructor(options: JournalOptions) {
    this.#options = options;
    const { file, content } = openJournalFile(options.path);
    this.#file = file;
    try {
      const { pending, position, leftOut } = replay(content, options.tables.position.get());
      this.#pending = pending;
      this.#position = position;
      const message = leftOut ? setAside(options.path) : undefined;
      if (pending.bytes > 0) {
        this.settle();
        options.checkpoint();
      }
      file.empty();
      if (message !== undefined) options.warn(message);
    } catch (error) {
      file.close();
      throw error;
    }
  }

  /** What the tables do not have yet. */
  get pending(): Pending {
    return this.#pending;
  }

  /**
   * Keeps a write that is known to fit.
   * @param fresh the tables have nothing of its session
   * @throws Error of the file system or, when too much is pending, of the tables; nothing of it is kept then
   */
  append(write: StoredWrite, fresh = false): void {
    if (this.#isOver(PATIENCE)) this.settle();
    const bytes = this.#file.append(encodeRecord(this.#position + 1, write));
    this.#position += 1;
    addWrite(this.#pending, write, { bytes, fresh });
    this.#schedule();
  }

  /** Writes to the tables at once, behind all that is pending and in the same transaction. @throws Error, with nothing written */
  write(work: () => void): void {
    this.#settleAt(this.#position + 1, work);
  }

  /** Brings into the tables what is pending, if there is anything of this session. */
  settle(sessionId?: string): void {
    const { sessions, bytes } = this.#pending;
    if (sessionId === undefined ? bytes > 0 : sessions.has(sessionId)) this.#settleAt(this.#position);
  }

  /** Settles, and takes the journal away; what cannot be settled stays in it for the next start. */
  close(): void {
    const { path, warn } = this.#options;
    try {
      this.settle();
    } catch (error) {
      warn(`The last writes could not be brought into the store file (${String(error)}). The next start reads them from ${path}: keep it.`);
    }
    this.#unschedule();
    this.#file.close();
    if (this.#pending.bytes === 0) rmSync(path, { force: true });
  }

  /** One transaction: what is pending, then `work`, then the position after it. */
  #settleAt(position: number, work?: () => void): void {
    const { tables, transaction } = this.#options;
    transaction(() => {
      applyPending(tables, this.#pending);
      work?.();
      tables.position.set(position);
    });
    this.#position = position;
    this.#pending = nothingPending();
    this.#failing = false;
    this.#unschedule();
    this.#file.clear();
  }

  #settleLater(): void {
    this.#unschedule();
    try {
      this.settle();
    } catch (error) {
      if (!this.#failing) this.#options.warn(`The store file cannot be written (${String(error)}): its journal takes the writes for now.`);
      this.#failing = true;
      this.#timer = setTimeout(() => this.#settleLater(), RETRY_MS).unref();
    }
  }

  #isOver(times: number): boolean {
    const { rows, bytes } = this.#pending;
    return rows >= ROWS * times || bytes >= BYTES * times;
  }

  #schedule(): void {
    if (!this.#failing && this.#isOver(1)) this.#immediate ??= setImmediate(() => this.#settleLater());
    else this.#timer ??= setTimeout(() => this.#settleLater(), GATHER_MS).unref();
  }

  #unschedule(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
    this.#timer = this.#immediate = undefined;
  }
}
