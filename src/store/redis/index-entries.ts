// Indexes over sessions: who owns which, what expires when, what has open turns. Each lies in a slot of its own, and nothing is
// written in two slots at once. So the index is written first and the session after it; what a crash between the two leaves is an
// entry with no session behind it, or one that is not right. Readers look at the session, pass over such an entry and sweep it.
// What never happens is a session that its index does not have.
//
// Two guards keep a sweep from taking away what a commit on its way has just put there. Each entry has a stamp above the version
// that its session had then; a sweep first raises that version to the stamp (settle.lua), so that the commit has to begin again,
// and an entry that was put there since is above it. Where there is no session yet, only an old entry goes, and a commit does not
// build on one that old.
import type { IndexKeys } from './keys.ts';
import { expiryKeys, listKeys, sessionKeys, shardOf } from './keys.ts';
import type { Link } from './link.ts';
import { SCRIPTS } from './scripts.ts';

/** Milliseconds after which an entry without a session is taken for one that a crash left. */
const LEFT_BEHIND_MS = 60_000;
/** Milliseconds for which a commit may build on an entry that it put there. */
export const FRESH_MS = LEFT_BEHIND_MS / 3;

export type IndexKind = 'e' | 'l' | 'o';

/** An entry of an index, as a reader found it. */
export interface IndexEntry {
  readonly kind: IndexKind;
  readonly keys: IndexKeys;
  readonly sessionId: string;
  readonly score: number;
}

export interface PutRequest {
  readonly sessionId: string;
  readonly score: number;
  /** Of the session. */
  readonly version: string;
  /** Name of the owner, to be found by whoever sweeps this. */
  readonly owner?: string;
  /** Highest stamp that may be overwritten. */
  readonly over?: string;
}

/** Puts a session into an index. @returns the entry's stamp; `null` when it was put there anew meanwhile */
export async function putEntry(link: Link, keys: IndexKeys, { sessionId, score, version, owner = '', over = '' }: PutRequest) {
  const stamp = await link.run(SCRIPTS.indexPut, [keys.entries, keys.notes], [sessionId, score, version, owner, over]);
  return stamp as string | null;
}

/** Takes a session out of an index, as it was at a version. */
export async function dropEntry(link: Link, keys: IndexKeys, { sessionId, version }: { sessionId: string; version: string }) {
  await link.run(SCRIPTS.indexDrop, [keys.entries, keys.notes], [sessionId, version, 0]);
}

/** Makes an entry right that a reader found to be wrong. @returns whether the index has changed, so that reading it again tells more */
export async function sweepEntry(link: Link, entry: IndexEntry): Promise<boolean> {
  const { kind, keys, sessionId, score } = entry;
  const note = await link.ask(keys.notes, (client, name) => client.hGet(name, sessionId));
  if (note === null) return true;
  const stamp = note.slice(0, note.indexOf(' '));
  const { session, open } = sessionKeys(sessionId);
  const settled = await link.run(SCRIPTS.settle, [session, open], [kind, stamp, score]);
  const [verdict, version = '', belongs] = settled as [string, string?, string?];
  switch (verdict) {
    case 'gone':
      return dropLeftBehind(link, entry, note.slice(stamp.length + 1));
    case 'move':
      return (
        (await putEntry(link, keys, { sessionId, score: Number(belongs), version, owner: note.slice(stamp.length + 1), over: version })) !==
        null
      );
    case 'drop':
      await dropEntry(link, keys, { sessionId, version });
      return true;
    default:
      return false;
  }
}

/** With the expiry goes the entry in the owner's list, so that nothing counts for longer than a session would have lived. */
async function dropLeftBehind(link: Link, { kind, keys, sessionId }: IndexEntry, owner: string): Promise<boolean> {
  const others = kind === 'e' ? [listKeys(owner)] : kind === 'l' ? [expiryKeys(shardOf(sessionId))] : [];
  const gone = await Promise.all(
    [keys, ...others].map(({ entries, notes }) => link.run(SCRIPTS.indexDrop, [entries, notes], [sessionId, '', LEFT_BEHIND_MS])),
  );
  return gone[0] === 1;
}
