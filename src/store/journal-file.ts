// One file of records, each `length | crc32 | text`, then an end mark, which is a head of zeros. A cleared file keeps its
// bytes, and the next records go over them: a file that does not grow takes a write in two thirds of the time. What is
// written is safe from the end of the process; nothing is synced, as with the database behind it.
import { closeSync, constants, fdatasyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';

const HEAD_BYTES = 8;
/** Size above which a cleared file gives its room back. */
const KEPT_BYTES = 8 * 1024 * 1024;

/** An open journal file. */
export interface JournalFile {
  /** Writes one record behind the others and gives its size in bytes. @throws Error of the file system, with nothing of it left behind */
  append(text: string): number;
  /** Lets the next record be the first. Until it comes the ones so far can still be read. */
  clear(): void;
  /** Empties the file, and sees to it that a power failure does not undo that. @throws Error of the file system */
  empty(): void;
  close(): void;
}

/** What a journal file holds. */
export interface JournalContent {
  /** Its whole records, up to the first that is not. */
  readonly texts: readonly string[];
  /** Whether they end in an end mark, or where the file does. */
  readonly whole: boolean;
}

/** Opens a journal file, made when it is not there, that only this user can read. */
export function openJournalFile(path: string): { file: JournalFile; content: JournalContent } {
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    const bytes = readFileSync(fd);
    return { file: journalFile(fd, bytes.length), content: readRecords(bytes) };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function journalFile(fd: number, bytes: number): JournalFile {
  let length = bytes;
  /** What is behind `length` has to go before the next record: a part of a failed one, or too much. */
  let frayed = false;

  const cutTo = (end: number): void => {
    ftruncateSync(fd, end);
    length = end;
    frayed = false;
  };

  return {
    append(text) {
      if (frayed) cutTo(length);
      const record = frame(text);
      try {
        writeWhole(fd, record, length);
      } catch (error) {
        frayed = true;
        cutTo(length);
        throw error;
      }
      length += record.length - HEAD_BYTES;
      return record.length;
    },
    clear() {
      if (length > KEPT_BYTES) frayed = true;
      length = 0;
    },
    empty() {
      if (bytes === 0) return;
      cutTo(0);
      fdatasyncSync(fd);
    },
    close: () => closeSync(fd),
  };
}

/** Bytes of UTF-8 that one UTF-16 unit can need. */
const MOST_BYTES_A_UNIT = 3;
/** Holds one record at a time, until it is written. */
const scratch = Buffer.allocUnsafeSlow(256 * 1024);

/** A record and the end mark behind it, to be used before the next is made. */
function frame(text: string): Buffer {
  const room = HEAD_BYTES + text.length * MOST_BYTES_A_UNIT + HEAD_BYTES;
  const record = room <= scratch.length ? scratch : Buffer.allocUnsafe(room);
  const end = HEAD_BYTES + record.write(text, HEAD_BYTES);
  record.writeUInt32LE(end - HEAD_BYTES, 0);
  record.writeUInt32LE(crc32(record.subarray(HEAD_BYTES, end)), 4);
  record.fill(0, end, end + HEAD_BYTES);
  return record.subarray(0, end + HEAD_BYTES);
}

/** A disk that fills up takes a part first, and says why with the next part. */
function writeWhole(fd: number, bytes: Buffer, at: number): void {
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done, at + done);
}

function readRecords(bytes: Buffer): JournalContent {
  const texts: string[] = [];
  let at = 0;
  while (at + HEAD_BYTES <= bytes.length) {
    const [length, sum] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)];
    const body = bytes.subarray(at + HEAD_BYTES, at + HEAD_BYTES + length);
    if (length === 0 || body.length < length || crc32(body) !== sum) return { texts, whole: length === 0 && sum === 0 };
    texts.push(body.toString());
    at += HEAD_BYTES + length;
  }
  return { texts, whole: at === bytes.length };
}
