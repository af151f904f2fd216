import { z } from 'zod';
import { parsedJson, Problem, type Page } from '../contract/index.ts';

/** A place in a list that clients hand back as they got it: base64url of the last row's sort keys. */
function encodeCursor(keys: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(keys)).toString('base64url');
}

/** Reads the sort keys of a cursor. @throws Problem `invalid-request` when it is not a cursor of this list. */
export function decodeCursor<Keys>(cursor: string, keys: z.ZodType<Keys>): Keys {
  const read = keys.safeParse(parsedJson(Buffer.from(cursor, 'base64url').toString()));
  if (read.success) return read.data;
  throw new Problem(
    'invalid-request',
    'The cursor is not one of this list: pass next_cursor of an earlier page unchanged, or leave it out.',
    {
      issues: [{ path: 'cursor', message: 'not a cursor of this list' }],
    },
  );
}

/** Cuts a page of one row more than asked for, which tells whether there is a next page. */
export function page<Row>(rows: Row[], limit: number, keys: (last: Row) => readonly (string | number)[]): Page<Row> {
  const kept = rows.slice(0, limit);
  const last = kept.at(-1);
  return { rows: kept, nextCursor: last !== undefined && rows.length > limit ? encodeCursor(keys(last)) : null };
}
