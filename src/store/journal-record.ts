import { parsedJson } from '../contract/index.ts';
import type { StoredCommit, StoredReply, StoredWrite } from './stored-write.ts';

interface Place {
  /** Counts what the store was told to write, from its first day on. */
  readonly position: number;
}

type Head = Place & (StoredReply | Exclude<StoredWrite, StoredCommit> | (Omit<StoredCommit, 'events'> & { readonly first: number }));

/** A write as text for the journal: a line of JSON, then a line for each event of a commit, which is JSON already. */
export function encodeRecord(position: number, write: StoredWrite): string {
  if (write.kind !== 'commit') return JSON.stringify({ position, ...write } satisfies Head);
  const { events, ...rows } = write;
  let text = JSON.stringify({ position, first: events[0]?.seq ?? 0, ...rows } satisfies Head);
  for (const { json } of events) text += `\n${json}`;
  return text;
}

/** The write in a record of the journal; `undefined` when it is none. */
export function decodeRecord(text: string): { position: number; write: StoredWrite } | undefined {
  const [line = '', ...events] = text.split('\n');
  // Its checksum was right: where it is no record, another program wrote it, and the caller leaves it out.
  const head = parsedJson(line) as Head | undefined;
  if (head === undefined) return undefined;
  const { position, ...write } = head;
  if (write.kind !== 'commit') return { position, write };
  const { first, ...rows } = write;
  return { position, write: { ...rows, events: events.map((json, offset) => ({ seq: first + offset, json })) } };
}
