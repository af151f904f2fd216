import { messageOf } from '../contract/index.ts';
import { unavailable } from './outages.ts';
import { ForeignDatabaseError } from './sqlite-schema.ts';

/** Seconds after which a disk may have room again; a person usually has to act first. */
const RETRY_AFTER_SECONDS = 5;

// Primary result codes of SQLite, https://www.sqlite.org/rescode.html
const [BUSY, NO_MEMORY, READ_ONLY, IO_ERROR, CORRUPT, FULL, CANNOT_OPEN, NOT_A_DATABASE] = [5, 7, 8, 10, 11, 13, 14, 26];

/** What SQLite reports of the world rather than of the statement. */
const OUTAGES = new Map([
  [BUSY, 'it is locked by another process'],
  [NO_MEMORY, 'there is no memory left for it'],
  [READ_ONLY, 'its file is read-only'],
  [IO_ERROR, 'its disk answers with errors'],
  [CORRUPT, 'its file is damaged'],
  [FULL, 'its disk is full'],
  [CANNOT_OPEN, 'its file cannot be opened'],
  [NOT_A_DATABASE, 'its file is damaged'],
]);

/** What the file system reports when the journal cannot be written. */
const JOURNAL_OUTAGES = new Map([
  ['ENOSPC', 'its disk is full'],
  ['EDQUOT', 'the disk quota of its user is used up'],
  ['EFBIG', 'a file of it may not grow any more'],
  ['EIO', 'its disk answers with errors'],
  ['EROFS', 'its disk is read-only'],
]);

/** Turns an outage of the file or disk into Problem `store-unavailable`; any other error stays what it is. */
export function storeError(error: unknown): unknown {
  const outage = OUTAGES.get(primaryCode(error)) ?? journalOutage(error);
  if (!outage) return error;
  return unavailable(outage, { retryAfterSeconds: RETRY_AFTER_SECONDS, cause: error });
}

/** What an error says, in a form that goes from one thread to another. */
export interface PlainError {
  readonly message: string;
  readonly stack: string | undefined;
  /** SQLite's extended result code, and Node's name of the error, where it has one. */
  readonly errcode: unknown;
  readonly code: unknown;
}

export function plainError(error: unknown): PlainError {
  const { stack, errcode, code } = Object(error) as { stack?: string; errcode?: unknown; code?: unknown };
  return { message: messageOf(error), stack, errcode, code };
}

/** The error that {@link plainError} was made of, as far as anybody looks at it. */
export function errorOf({ message, stack, errcode, code }: PlainError): Error {
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return Object.assign(error, errcode !== undefined && { errcode }, code !== undefined && { code });
}

/** The reason why a store file cannot be opened, for the person who starts the service. */
export function openError(file: string, error: unknown): Error {
  return new Error(`The store file ${file} ${openReason(error)}`, { cause: error });
}

function openReason(error: unknown): string {
  if (error instanceof ForeignDatabaseError) return error.message;
  switch (primaryCode(error)) {
    case BUSY:
      return 'is in use by another process: stop that one, or give this one another data directory.';
    case CORRUPT:
    case NOT_A_DATABASE:
      return 'is damaged or not a database: restore a backup, or move it away to start anew.';
    default:
      return `cannot be opened for reading and writing (${messageOf(error)}): check its directory, permissions and disk.`;
  }
}

function journalOutage(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? JOURNAL_OUTAGES.get(String(error.code)) : undefined;
}

function primaryCode(error: unknown): number {
  const extended = error instanceof Error && 'errcode' in error ? error.errcode : undefined;
  return typeof extended === 'number' ? extended & 0xff : 0;
}
