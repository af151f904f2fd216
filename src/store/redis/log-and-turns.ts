import { z } from 'zod';
import type { CallRow, EventRow, Page, TurnRow } from '../../contract/index.ts';
import { decodeCursor, page } from '../cursor.ts';
import { namesOfId, namesOfTurn } from './call-names.ts';
import { sessionKeys } from './keys.ts';
import type { Link } from './link.ts';
import { SCRIPTS } from './scripts.ts';

const CURSOR = z.tuple([z.int()]);
/** Bytes after which a page of events ends, so that huge events do not add up. */
const PAGE_BYTES = 2_000_000;

/** What is asked of one session's turns, calls and events. */
export function historyReads(link: Link) {
  /** @param below an ordinal, or `+inf` @param limit -1 for all */
  const readTurns = async (
    sessionId: string,
    request: { from: 'newest' | 'oldest'; open?: boolean; below?: number | string; limit: number },
  ) => {
    const { turns, ordinals, open } = sessionKeys(sessionId);
    const counted = request.open ? open : ordinals;
    const reply = await link.run(SCRIPTS.turns, [turns, counted], [request.from, request.below ?? '+inf', request.limit]);
    return pairs(reply).map(([id, row]) => turnRow(sessionId, id, row));
  };

  return {
    turn: async (sessionId: string, turnId: string): Promise<TurnRow | null> => {
      const row = await link.ask(sessionKeys(sessionId).turns, (client, name) => client.hGet(name, turnId));
      return row === null ? null : turnRow(sessionId, turnId, row);
    },
    latestTurn: async (sessionId: string): Promise<TurnRow | null> => (await readTurns(sessionId, { from: 'newest', limit: 1 }))[0] ?? null,
    openTurns: (sessionId: string): Promise<TurnRow[]> => readTurns(sessionId, { from: 'oldest', open: true, limit: -1 }),
    turns: async ({ sessionId, limit, cursor }: { sessionId: string; limit: number; cursor?: string }): Promise<Page<TurnRow>> => {
      const below = cursor === undefined ? '+inf' : decodeCursor(cursor, CURSOR)[0];
      const rows = await readTurns(sessionId, { from: 'newest', below, limit: limit + 1 });
      return page(rows, limit, (last) => [last.ordinal]);
    },

    calls: async (sessionId: string, turnId: string): Promise<CallRow[]> => {
      const { calls, callNames } = sessionKeys(sessionId);
      // The script gives the rows as commits wrote them.
      const rows = (await link.run(SCRIPTS.calls, [calls, callNames], namesOfTurn(turnId))) as string[];
      return rows.map((row) => JSON.parse(row) as CallRow).toSorted((a, b) => a.index - b.index);
    },
    usedIds: async (sessionId: string, toolUseIds: readonly string[]): Promise<string[]> => {
      if (toolUseIds.length === 0) return [];
      const used = (await link.run(SCRIPTS.used, [sessionKeys(sessionId).callNames], toolUseIds.flatMap(namesOfId))) as number[];
      return toolUseIds.filter((_, index) => used[index] === 1);
    },

    events: async ({ sessionId, after, limit }: { sessionId: string; after: number; limit: number }): Promise<EventRow[]> => {
      const { session, log } = sessionKeys(sessionId);
      const reply = (await link.run(SCRIPTS.events, [session, log], [Math.max(after, 0), limit, PAGE_BYTES])) as [string, ...string[]];
      const [from, ...entries] = reply;
      return pairs(entries)
        .flatMap(([id, lines]) => eventsOf(id, lines))
        .filter(({ seq }) => seq > Number(from))
        .slice(0, limit);
    },
    range: async (sessionId: string): Promise<{ first: number; last: number }> => {
      const [first, last] = await link.ask(sessionKeys(sessionId).session, (client, name) => client.hmGet(name, ['first', 'last']));
      return { first: Number(first ?? 1), last: Number(last ?? 0) };
    },
    trim: async (sessionId: string, below: { seq: number; ordinal: number }): Promise<void> => {
      const { session, log, turns, ordinals, open, calls, callNames } = sessionKeys(sessionId);
      await link.run(SCRIPTS.trim, [session, log, turns, ordinals, open, calls, callNames], [below.seq, below.ordinal]);
    },
  };
}

/** An entry has the number of its last event and, behind a dash, how many are before that. */
function eventsOf(id: string, lines: string): EventRow[] {
  const [last, others] = id.split('-').map(Number) as [number, number];
  return lines.split('\n').map((json, index) => ({ seq: last - others + index, json }));
}

/** A row is `<ordinal> <open> <document>`. */
function turnRow(sessionId: string, id: string, row: string): TurnRow {
  const behind = row.indexOf(' ');
  return { sessionId, id, ordinal: Number(row.slice(0, behind)), open: row[behind + 1] === '1', document: row.slice(behind + 3) };
}

/** Scripts give pairs as one flat list of strings. */
function pairs(reply: unknown): [string, string][] {
  const flat = reply as string[];
  return Array.from({ length: flat.length / 2 }, (_, index) => [flat[index * 2] ?? '', flat[index * 2 + 1] ?? '']);
}
