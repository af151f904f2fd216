import { z } from 'zod';
import { byCodePoint, type Page, type SessionRow } from '../../contract/index.ts';
import { decodeCursor, page } from '../cursor.ts';
import { dropEntry, sweepEntry, type IndexEntry } from './index-entries.ts';
import { expiryKeys, listKeys, openKeys, sessionKeys, SHARDS, shardOf } from './keys.ts';
import type { Link } from './link.ts';
import { SCRIPTS } from './scripts.ts';

const CURSOR = z.tuple([z.int(), z.string()]);
/** Milliseconds for which the epoch of a session outlives it: longer than any node can be frozen and still be trusted. */
export const EPOCH_STAYS_MS = 86_400_000;
/** Entries that are looked at in one go where it is not known how many are needed. */
const ENTRIES_AT_ONCE = 100;
/** How often `expired` reads its index again after having put it right. */
const MOST_ROUNDS = 100;

/** What is asked of sessions, each by itself and over all of them. */
export function sessionReads(link: Link) {
  const row = (id: string): Promise<SessionRow | null> => readRow(link, id);
  return {
    row,
    page: (query: { owner: string; limit: number; cursor?: string }): Promise<Page<SessionRow>> => readPage(link, query),
    count: (owner: string): Promise<number> => link.ask(listKeys(owner).entries, (client, name) => client.zCard(name)),
    expired: (now: number, limit: number): Promise<string[]> => readExpired(link, now, limit),
    withOpenTurns: (limit: number): Promise<string[]> => readWithOpenTurns(link, limit),
    remove: (id: string): Promise<void> => removeSession(link, id),
  };
}

async function readRow(link: Link, id: string): Promise<SessionRow | null> {
  const fields = ['owner', 'createdAt', 'expiresAt', 'document'];
  const [owner, createdAt, expiresAt, document] = await link.ask(sessionKeys(id).session, (client, name) => client.hmGet(name, fields));
  if (typeof owner !== 'string' || typeof document !== 'string') return null;
  return { id, owner, createdAt: Number(createdAt), expiresAt: Number(expiresAt), document };
}

async function readPage(link: Link, query: { owner: string; limit: number; cursor?: string }): Promise<Page<SessionRow>> {
  const { owner, limit } = query;
  const keys = listKeys(owner);
  let after = query.cursor === undefined ? undefined : decodeCursor(query.cursor, CURSOR);
  const rows: SessionRow[] = [];
  // One row more than asked for tells whether there is a next page.
  while (rows.length <= limit) {
    const found = await newestEntries(link, keys.entries, { after, limit: limit + 1 - rows.length });
    const last = found.at(-1);
    if (last === undefined) break;
    after = [last.score, last.value];
    const read = await Promise.all(found.map(({ value }) => readRow(link, value)));
    for (const [index, { value, score }] of found.entries()) {
      const row = read[index];
      if (row) rows.push(row);
      else await sweepEntry(link, { kind: 'l', keys, sessionId: value, score });
    }
  }
  return page(rows, limit, (last) => [last.createdAt, last.id]);
}

/** Entries from the highest score down, those of one score from the last id to the first. */
async function newestEntries(link: Link, key: string, { after, limit }: { after: [number, string] | undefined; limit: number }) {
  if (after === undefined)
    return link.ask(key, (client) => client.zRangeWithScores(key, '+inf', '-inf', { BY: 'SCORE', REV: true, LIMIT: first(limit) }));
  const [score, id] = after;
  const same = await link.ask(key, (client) => client.zCount(key, score, score));
  const found = await link.ask(key, (client) =>
    client.zRangeWithScores(key, score, '-inf', { BY: 'SCORE', REV: true, LIMIT: first(limit + same) }),
  );
  return found.filter((entry) => entry.score < score || byCodePoint(entry.value, id) < 0).slice(0, limit);
}

/** An entry may be earlier than its session expires, never later: so it is put right until those in front are exact. */
async function readExpired(link: Link, now: number, limit: number): Promise<string[]> {
  let passedOver = 0;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const found = await entriesUpTo(link, now, limit + passedOver);
    const expiries = await Promise.all(found.map(({ sessionId }) => expiryOf(link, sessionId)));
    const wrong = found.filter(({ score }, index) => expiries[index] !== score);
    if (wrong.length === passedOver) {
      return found
        .filter((entry) => !wrong.includes(entry))
        .map(({ sessionId }) => sessionId)
        .slice(0, limit);
    }
    const changed = await Promise.all(wrong.map((entry) => sweepEntry(link, entry)));
    passedOver = changed.filter((one) => !one).length;
  }
  return [];
}

async function entriesUpTo(link: Link, now: number, limit: number): Promise<IndexEntry[]> {
  const shards = Array.from({ length: SHARDS }, async (_, shard) => {
    const keys = expiryKeys(shard);
    const found = await link.ask(keys.entries, (client, name) =>
      client.zRangeWithScores(name, '-inf', now, { BY: 'SCORE', LIMIT: first(limit) }),
    );
    return found.map(({ value, score }): IndexEntry => ({ kind: 'e', keys, sessionId: value, score }));
  });
  const entries = (await Promise.all(shards)).flat();
  return entries.toSorted((a, b) => a.score - b.score || byCodePoint(a.sessionId, b.sessionId)).slice(0, limit);
}

async function expiryOf(link: Link, sessionId: string): Promise<number | null> {
  const expiresAt = await link.ask(sessionKeys(sessionId).session, (client, name) => client.hGet(name, 'expiresAt'));
  return expiresAt === null ? null : Number(expiresAt);
}

async function readWithOpenTurns(link: Link, limit: number): Promise<string[]> {
  const found: string[] = [];
  const over: IndexEntry[] = [];
  for (let shard = 0; shard < SHARDS && found.length < limit; shard += 1) {
    const keys = openKeys(shard);
    for (let start = 0; found.length < limit; start += ENTRIES_AT_ONCE) {
      const entries = await link.ask(keys.entries, (client, name) => client.zRangeWithScores(name, start, start + ENTRIES_AT_ONCE - 1));
      const open = await Promise.all(entries.map(({ value }) => link.ask(sessionKeys(value).open, (client, name) => client.zCard(name))));
      for (const [index, { value, score }] of entries.entries()) {
        if ((open[index] ?? 0) > 0) found.push(value);
        else over.push({ kind: 'o', keys, sessionId: value, score });
      }
      if (entries.length < ENTRIES_AT_ONCE) break;
    }
  }
  // Not while reading, since that goes by position.
  const old = over.filter(({ score }) => score < Date.now() - REST_MS);
  for (const entry of old) await sweepEntry(link, entry);
  return found.slice(0, limit);
}

/** The session goes first: what a crash leaves in the indexes is passed over there, and swept. */
async function removeSession(link: Link, id: string): Promise<void> {
  const { session, epoch, log, turns, ordinals, open, calls, callNames } = sessionKeys(id);
  const keys = [session, epoch, log, turns, ordinals, open, calls, callNames];
  const removed = await link.run(SCRIPTS.remove, keys, [EPOCH_STAYS_MS]);
  if (removed === null) return;
  const [version, owner] = removed as [string, string];
  const indexes = [listKeys(owner), expiryKeys(shardOf(id)), openKeys(shardOf(id))];
  await Promise.all(indexes.map((index) => dropEntry(link, index, { sessionId: id, version })));
}

/** Milliseconds for which a session without open turns stays in its index: the next turn need not put it there again. */
const REST_MS = 60_000;

function first(limit: number): { offset: number; count: number } {
  return { offset: 0, count: limit };
}
