// One call as pieces of a line: queued, waiting for somebody, running, done and held back until its turn to go out. One that
// never ran has a mark where it ended.
import type { Axis } from './axis.ts';
import { lookOf, type Look } from './outcomes.ts';
import type { Call, Turn } from './session-model.ts';
import { percentOf, type Span } from './zoom.ts';

export interface Piece {
  readonly kind: 'queued' | 'waiting' | 'running' | 'held' | 'ended';
  /** In percent of the line. */
  readonly left: number;
  readonly width: number;
}

export interface Bar {
  readonly pieces: readonly Piece[];
  /** Where the result went out, in percent; absent before it did and where it is out of sight. */
  readonly release?: number;
  readonly look: Look;
}

/** What a line shows. */
export interface LineView {
  readonly axis: Axis;
  /** The part of the axis that is in sight. */
  readonly span: Span;
}

/** @param now by the clock of the service, in milliseconds since 1970 */
export function barOf(call: Call, turn: Turn, { axis, span, now }: LineView & { now: number }): Bar {
  const place = (at: number): number => percentOf(span, axis.placeOf(at - turn.startedAt));
  const { queuedAt, startedAt, finishedAt = now, releasedAt } = call;
  const pieces: Piece[] = [];
  const add = (kind: Piece['kind'], from: number, to: number): void => {
    const left = Math.max(0, place(from));
    const right = Math.min(100, place(to));
    if (right >= left && (right > left || kind === 'running' || kind === 'ended')) pieces.push({ kind, left, width: right - left });
  };
  add('queued', queuedAt, startedAt ?? finishedAt);
  if (startedAt !== undefined) add('running', startedAt, finishedAt);
  else if (call.finishedAt !== undefined) add('ended', finishedAt, finishedAt);
  for (const { from, to = now } of call.waits) add('waiting', from, Math.max(from, to));
  if (call.finishedAt !== undefined && releasedAt !== undefined) add('held', call.finishedAt, releasedAt);
  const release = releasedAt === undefined ? -1 : place(releasedAt);
  return { pieces, look: lookOf(call), ...(release >= 0 && release <= 100 && { release }) };
}

/** When the batches of a turn ended and let the next one begin, in percent of the line. */
export function batchBorders(turn: Turn, { axis, span }: LineView): number[] {
  const ends = new Map<number, number>();
  for (const { batch, finishedAt } of turn.calls) {
    if (finishedAt === undefined) ends.set(batch, Infinity);
    else ends.set(batch, Math.max(ends.get(batch) ?? 0, finishedAt));
  }
  return [...ends.values()]
    .slice(0, -1)
    .map((at) => percentOf(span, axis.placeOf(at - turn.startedAt)))
    .filter((left) => left >= 0 && left <= 100);
}

/** Which call it is and how it stands, for those who hear it: before and after what is written of it. */
export function describeCall(call: Call, turn: Turn): { before: string; after: string } {
  const { index, batch, concurrent, queuedAt, startedAt, finishedAt, releasedAt } = call;
  const ran = startedAt !== undefined && finishedAt !== undefined ? `, ran ${finishedAt - startedAt} ms` : '';
  const queued = startedAt === undefined ? '' : `, queued ${startedAt - queuedAt} ms`;
  const out = releasedAt === undefined ? '' : ', result sent';
  const how = concurrent ? 'concurrent' : 'alone';
  return {
    before: `Turn ${turn.number}, call ${index + 1}: `,
    after: `. Batch ${batch + 1}, ${how}. ${lookOf(call).word}${queued}${ran}${out}`,
  };
}
