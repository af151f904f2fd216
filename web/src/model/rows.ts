// The timeline as rows below each other: a head for each turn, then its calls. Only those in sight are drawn.
import type { Call, SessionModel, Turn } from './session-model.ts';

const HEAD_HEIGHT = 58;
export const CALL_HEIGHT = 26;
/** Rows that are drawn above and below what is in sight. */
const MARGIN_PX = 130;

export type Row =
  | { readonly kind: 'turn'; readonly turn: Turn; readonly top: number }
  | {
      readonly kind: 'call';
      readonly turn: Turn;
      readonly call: Call;
      readonly top: number;
      /** Place among all calls, from 1. */
      readonly place: number;
      readonly beginsBatch: boolean;
      readonly endsBatch: boolean;
    };

export interface Rows {
  readonly rows: readonly Row[];
  readonly height: number;
}

export function rowsOf({ turns }: SessionModel): Rows {
  const rows: Row[] = [];
  let top = 0;
  let place = 0;
  for (const turn of turns) {
    rows.push({ kind: 'turn', turn, top });
    top += HEAD_HEIGHT;
    for (const [position, call] of turn.calls.entries()) {
      const beginsBatch = turn.calls[position - 1]?.batch !== call.batch;
      const endsBatch = turn.calls[position + 1]?.batch !== call.batch;
      rows.push({ kind: 'call', turn, call, top, place: ++place, beginsBatch, endsBatch });
      top += CALL_HEIGHT;
    }
  }
  return { rows, height: top };
}

/** The rows in a window of the list, and the head of the first one's turn, whose lines go through all of its calls. */
export function rowsInSight({ rows }: Rows, { top, height }: { top: number; height: number }): readonly Row[] {
  const from = firstBelow(rows, top - MARGIN_PX - HEAD_HEIGHT);
  const to = firstBelow(rows, top + height + MARGIN_PX);
  const first = rows[from];
  const head = first?.kind === 'call' ? rows[from - first.call.index - 1] : undefined;
  return head?.kind === 'turn' ? [head, ...rows.slice(from, to)] : rows.slice(from, to);
}

/** Index of the first row that begins at or below `top`. */
function firstBelow(rows: readonly Row[], top: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.top ?? 0) < top) low = middle + 1;
    else high = middle;
  }
  return low;
}
