// The file that a task puts its output into, read in parts that hold whole characters while it grows. A link that stands in
// its place is never followed: whatever runs in the background may have put it there.
import { constants, lstatSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { incompleteTail, orphanedHead, readAt } from '../../contract/index.ts';

/** The longest UTF-8 character has four bytes. */
const LONGEST_CHARACTER = 4;
const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;

export interface PartRequest {
  /** Where the part begins, in bytes, or would if no character stood across it; given how many bytes there are. */
  readonly from: (size: number) => number;
  /** Bytes at most; counts as four where it is less. */
  readonly maxBytes: number;
  /** Nothing is written any more: what ends in half of a character is shown as it is. */
  readonly ended: boolean;
}

export interface Part {
  readonly text: string;
  readonly offset: number;
  readonly nextOffset: number;
  /** Bytes that the file had. */
  readonly size: number;
}

/** A file that is not there yet is empty. @throws Error of the system */
export async function readPart(path: string, { from, maxBytes, ended }: PartRequest): Promise<Part> {
  await using file = await openToRead(path);
  if (file === null) return { text: '', offset: 0, nextOffset: 0, size: 0 };
  const { size } = await file.stat();
  const start = Math.min(Math.max(0, from(size)), size);
  const room = Math.max(maxBytes, LONGEST_CHARACTER);
  // What stands before tells whether the part would begin inside of a character; it then begins with the next one.
  const base = Math.max(0, start - LONGEST_CHARACTER + 1);
  const bytes = await readAt(file, base, Math.min(size, start + LONGEST_CHARACTER - 1 + room) - base);
  const first = nextCharacter(bytes, start - base);
  const end = Math.min(first + room, bytes.length);
  const last = ended && base + end === size ? end : Math.max(first, characterAt(bytes, end));
  const text = bytes.toString('utf8', first, last);
  return { text, offset: base + first, nextOffset: base + last, size };
}

/** Puts a line after what is there. @throws Error of the system */
export async function appendLine(path: string, line: string): Promise<void> {
  await using file = await open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  const { size } = await file.stat();
  await file.write(`${size > 0 ? '\n' : ''}${line}\n`);
}

/** In bytes; 0 while there is no file. */
export function sizeOf(path: string): number {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
  } catch {
    // What cannot be looked at cannot be read either.
    return 0;
  }
}

async function openToRead(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Where the character begins that stands across `index`; `index` itself when none does. */
function characterAt(bytes: Buffer, index: number): number {
  return index - incompleteTail(bytes.subarray(0, index));
}

function nextCharacter(bytes: Buffer, index: number): number {
  return characterAt(bytes, index) < index ? index + orphanedHead(bytes.subarray(index)) : index;
}
