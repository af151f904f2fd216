// The one work-conserving schedule of a turn: what a server that loses no time at all would do. Calls are taken in call
// order, so each start follows from the calls before it.

/** A call as a script gives it. Times are milliseconds since the turn began. */
export interface ScriptedCall {
  readonly arrivalMs: number;
  readonly durationMs: number;
  readonly safe: boolean;
}

export interface IdealSpan {
  readonly startMs: number;
  readonly endMs: number;
  /** When its result may go out: with the last of all calls up to it. */
  readonly releaseMs: number;
  readonly batch: number;
}

/** Safe calls in flight at once, unless a session says less. */
const CAP = 10;

/**
 * A safe call joins the batch of a safe predecessor and starts as soon as it has arrived and fewer than `cap` of the batch
 * are live. Any other call waits until all calls before it have ended.
 * @param calls in call order, so arrivals never go back
 */
export function idealSchedule(calls: readonly ScriptedCall[], cap = CAP): IdealSpan[] {
  const spans: IdealSpan[] = [];
  /** End of everything before the current batch. */
  let barrierMs = 0;
  let batchEnds: number[] = [];
  let previous: ScriptedCall | undefined;
  for (const call of calls) {
    const last = spans.at(-1);
    const joins = call.safe && previous?.safe === true;
    if (!joins) {
      barrierMs = last?.releaseMs ?? 0;
      batchEnds = [];
    }
    const startMs = Math.max(call.arrivalMs, barrierMs, slotFreeAt(batchEnds, cap));
    const endMs = startMs + call.durationMs;
    batchEnds.push(endMs);
    spans.push({
      startMs,
      endMs,
      releaseMs: Math.max(endMs, last?.releaseMs ?? 0),
      batch: last === undefined ? 0 : last.batch + (joins ? 0 : 1),
    });
    previous = call;
  }
  return spans;
}

/** When the first and the last result go out. */
export function idealTimes(calls: readonly ScriptedCall[], cap = CAP): { firstMs: number; finishMs: number } {
  const spans = idealSchedule(calls, cap);
  return { firstMs: spans[0]?.releaseMs ?? 0, finishMs: spans.at(-1)?.releaseMs ?? 0 };
}

/** From this time on fewer than `cap` of the calls with these ends are live. */
function slotFreeAt(ends: readonly number[], cap: number): number {
  if (ends.length < cap) return 0;
  return ends.toSorted((a, b) => b - a)[cap - 1] ?? 0;
}
