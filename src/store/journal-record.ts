import { parsedJson } from '../contract/index.ts';
import type { CallColumns, StoredCommit, StoredReply, StoredWrite } from './stored-write.ts';

interface Place {
  /** Counts what the store was told to write, from its first day on. */
  readonly position: number;
}

/** A call without its result, which stands on a line of its own. Records of 1.0.0 have it here. */
type CallHead = Omit<CallColumns, 'result'> & { readonly result?: string };

type Head = Place &
  (StoredReply | Exclude<StoredWrite, StoredCommit> | (Omit<StoredCommit, 'events' | 'calls'> & { first: number; calls: CallHead[] }));

/** A write as text for the journal: a line of JSON, then a line for each event and each result of a commit, which are JSON already. */
export function encodeRecord(position: number, write: StoredWrite): string {
  if (write.kind !== 'commit') return JSON.stringify({ position, ...write } satisfies Head);
  const { events, calls, ...rows } = write;
  const heads = calls.map(({ result: _result, ...call }) => call);
  let text = JSON.stringify({ position, first: events[0]?.seq ?? 0, ...rows, calls: heads } satisfies Head);
  for (const { json } of events) text += `\n${json}`;
  for (const { result } of calls) text += `\n${result}`;
  return text;
}

/** The write in a record of the journal; `undefined` when it is none. */
export function decodeRecord(text: string): { position: number; write: StoredWrite } | undefined {
  const [line = '', ...lines] = text.split('\n');
  // Its checksum was right: where it is no record, another program wrote it, and the caller leaves it out.
  const head = parsedJson(line) as Head | undefined;
  if (head === undefined) return undefined;
  const { position, ...write } = head;
  if (write.kind !== 'commit') return { position, write };
  const { first, calls: heads, ...rows } = write;
  const results = lines.splice(lines.length - heads.filter(({ result }) => result === undefined).length);
  const calls = heads.map((call) => ({ ...call, result: call.result ?? results.shift() ?? '' }));
  return { position, write: { ...rows, calls, events: lines.map((json, offset) => ({ seq: first + offset, json })) } };
}
