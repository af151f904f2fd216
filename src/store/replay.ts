// Reads a journal that a process left behind: what the tables have is passed over, what follows is gathered, and whatever
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

/** Gathers the writes of a journal that follow what the tables have. @param tablesPosition position of the tables */
export function replay({ texts, whole }: JournalContent, tablesPosition: number): Replay {
  const pending = nothingPending();
  let position = tablesPosition;
  for (const text of texts) {
    const record = decodeRecord(text);
    if (record === undefined || record.position > position + 1) return { pending, position, leftOut: true };
    if (record.position <= position) continue;
    addWrite(pending, record.write, { bytes: text.length });
    position = record.position;
  }
  return { pending, position, leftOut: !whole };
}

/** Keeps a copy of a journal that cannot be read to its end, and says so in a message to a person. */
export function setAside(path: string): string {
  const copy = `${path}-damaged`;
  copyFileSync(path, copy);
  return (
    `The journal ${path} cannot be read to its end: it was cut short or damaged. Everything before that is in the store, what is behind ` +
    `it is left out, and a copy of the journal is kept in ${copy}. After a power failure that may happen; otherwise check the disk.`
  );
}
