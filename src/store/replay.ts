// Reads the journal files that a process left behind: what the tables have is passed over, what follows is gathered, and whatever
// does not follow is left out, so that what is restored is always the beginning of what was written, with no gap.
import { copyFileSync } from 'node:fs';
import type { JournalContent } from './journal-file.ts';
import { decodeRecord } from './journal-record.ts';
import { addWrite, nothingPending, type Pending } from './pending.ts';

export interface Replay {
  readonly pending: Pending;
  /** Of the last write that is pending, or of the tables when none is. */
  readonly position: number;
  /** Whether the journal holds something that cannot be used. */
  readonly leftOut: boolean;
}

/** Gathers the writes of journal files that follow what the tables have. @param tablesPosition position of the tables */
export function replay(contents: readonly JournalContent[], tablesPosition: number): Replay {
  const pending = nothingPending();
  let position = tablesPosition;
  const inOrder = contents.toSorted((one, other) => firstPosition(one) - firstPosition(other));
  for (const text of inOrder.flatMap(({ texts }) => texts)) {
    const record = decodeRecord(text);
    if (record === undefined || record.position > position + 1) return { pending, position, leftOut: true };
    if (record.position <= position) continue;
    addWrite(pending, record.write, { bytes: text.length });
    position = record.position;
  }
  return { pending, position, leftOut: contents.some(({ whole }) => !whole) };
}

function firstPosition({ texts: [text] }: JournalContent): number {
  return (text === undefined ? undefined : decodeRecord(text)?.position) ?? Infinity;
}

/** Keeps a copy of a journal that cannot be read to its end, and says so in a message to a person. */
export function setAside(paths: readonly string[]): string {
  const copies = paths.map((path) => `${path}-damaged`);
  for (const [index, path] of paths.entries()) copyFileSync(path, copies[index] ?? '');
  const [path, copy] = [paths.join(' or '), copies.join(' and ')];
  return (
    `The journal ${path} cannot be read to its end: it was cut short or damaged. Everything before that is in the store, what is behind ` +
    `it is left out, and a copy of the journal is kept in ${copy}. After a power failure that may happen; otherwise check the disk.`
  );
}
