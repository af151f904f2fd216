// The time of a turn along its line. Where nothing worked for a minute or more, as while people are asked, it is folded: else the
// work before and after would be too small to see. Times are milliseconds since the turn began.
import type { Call, Turn } from './session-model.ts';
import type { Span } from './zoom.ts';

/** What is shorter is shown as long as it was. */
const FOLDED_FROM_MS = 60_000;
/** Of the line, what one fold takes, and what all of them take at the most. */
const [SHARE, MOST_SHARE] = [0.08, 0.5];

/** When nothing worked. */
export interface Quiet {
  /** Those that are over and long enough to be folded, in order. */
  readonly gaps: readonly Span[];
  /** Since when nothing works; absent while something does, and once the turn has ended. */
  readonly since?: number;
}

export interface Fold extends Span {
  /** Where it lies on the line, in its measure. */
  readonly at: Span;
}

/** Where each moment is on a line. What is not folded is as long as it took. */
export interface Axis {
  readonly folds: readonly Fold[];
  readonly length: number;
  readonly placeOf: (ms: number) => number;
}

export function quietOf(turn: Turn): Quiet {
  const { startedAt: began, endedAt, calls } = turn;
  const moments = [began, ...calls.flatMap(momentsOf), ...(endedAt === undefined ? [] : [endedAt])].toSorted((a, b) => a - b);
  const gaps = moments.flatMap((from, index) => {
    const to = moments[index + 1] ?? from;
    return to - from >= FOLDED_FROM_MS && !worksAt(calls, from) ? [{ from: from - began, to: to - began }] : [];
  });
  const last = moments.at(-1) ?? began;
  return { gaps, ...(endedAt === undefined && !worksAt(calls, last) && { since: last - began }) };
}

/** @param end how long the turn has taken, up to now while it runs */
export function axisOf({ gaps, since }: Quiet, end: number): Axis {
  const folded = since !== undefined && end - since >= FOLDED_FROM_MS ? [...gaps, { from: since, to: end }] : gaps;
  const share = Math.min(SHARE, MOST_SHARE / Math.max(folded.length, 1));
  const shown = Math.max(
    1,
    folded.reduce((left, { from, to }) => left - (to - from), end),
  );
  const width = (shown * share) / (1 - share * folded.length);
  let saved = 0;
  const folds = folded.map(({ from, to }) => {
    const at = { from: from - saved, to: from - saved + width };
    saved += to - from - width;
    return { from, to, at };
  });
  return { folds, length: shown + width * folds.length, placeOf: (ms) => placeAmong(folds, ms) };
}

function placeAmong(folds: readonly Fold[], ms: number): number {
  const before = folds.findLast(({ from }) => from <= ms);
  if (before === undefined) return ms;
  const { from, to, at } = before;
  return ms >= to ? at.to + (ms - to) : at.from + ((ms - from) / (to - from)) * (at.to - at.from);
}

function momentsOf({ queuedAt, startedAt, finishedAt, releasedAt, waits }: Call): number[] {
  return [queuedAt, startedAt, finishedAt, releasedAt, ...waits.flatMap(({ from, to }) => [from, to])].filter((at) => at !== undefined);
}

/** Whether a call works right after this moment: one that lies with people or with the client does not. */
function worksAt(calls: readonly Call[], moment: number): boolean {
  const holds = (from: number | undefined, to = Infinity): boolean => from !== undefined && from <= moment && moment < to;
  return calls.some(({ startedAt, finishedAt, waits }) => holds(startedAt, finishedAt) && !waits.some(({ from, to }) => holds(from, to)));
}
