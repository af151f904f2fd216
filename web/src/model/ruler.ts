// What stands above the line of a turn: round moments, and how long each fold was.
import type { Axis } from './axis.ts';
import { showMs } from './durations.ts';
import { labelPx, percentOf, tickCount, tickStep, type Span } from './zoom.ts';

/** Pixels of the words of a fold, with room beside them. */
const FOLD_LABEL_PX = 92;

export interface Mark {
  /** Left edge, in percent of the line. */
  readonly left: number;
  /** Empty where there is no room for it. */
  readonly label: string;
}

export interface FoldMark extends Mark {
  /** In percent of the line. */
  readonly width: number;
  /** Left edge of the label, in percent of the line. */
  readonly labelLeft: number;
}

export interface Ruler {
  readonly ticks: readonly Mark[];
  readonly folds: readonly FoldMark[];
}

/** @param span the part of the axis that is shown */
export function rulerOf(axis: Axis, span: Span, widthPx: number): Ruler {
  const percent = (at: number): number => percentOf(span, at);
  const px = (at: number): number => (percent(at) / 100) * widthPx;
  const folds = axis.folds.flatMap(({ from, to, at }): FoldMark[] => {
    if (at.to <= span.from || at.from >= span.to) return [];
    const [left, right] = [Math.max(0, percent(at.from)), Math.min(100, percent(at.to))];
    const labelLeft = Math.max(0, Math.min(left, 100 - (FOLD_LABEL_PX / Math.max(widthPx, 1)) * 100));
    return [{ left, width: right - left, labelLeft, label: `⋯ ${showMs(to - from)}` }];
  });
  const taken = folds.map(({ labelLeft }) => (labelLeft / 100) * widthPx);
  /** A label that would be cut, or lie over that of a fold, is left out. */
  const isRoom = (left: number, label: number): boolean =>
    left + label <= widthPx && taken.every((fold) => left >= fold + FOLD_LABEL_PX || left + label <= fold);
  const ticks = ticksOn(axis, span, tickCount(span, widthPx)).map(({ at, ms, isAfterFold }) => {
    const label = ms === 0 ? '0' : `${isAfterFold ? '+' : ''}${showMs(ms)}`;
    return { left: percent(at), label: isRoom(px(at), labelPx(ms)) ? label : '' };
  });
  return { ticks, folds };
}

interface Tick {
  /** On the axis. */
  readonly at: number;
  /** Since the turn began, or since the fold before it ended: after minutes nobody reads milliseconds. */
  readonly ms: number;
  readonly isAfterFold: boolean;
}

/** Round moments of the part that is shown, at most about `count` of them. */
export function ticksOn({ folds, length }: Axis, span: Span, count: number): Tick[] {
  const step = tickStep(span, count);
  const begins = [0, ...folds.map(({ at }) => at.to)];
  return begins.flatMap((begin, index) => {
    const end = folds[index]?.at.from ?? length;
    const first = Math.max(Math.ceil((span.from - begin) / step), index === 0 ? 0 : 1);
    const last = Math.floor((Math.min(end, span.to) - begin) / step);
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, offset) => {
      const ms = (first + offset) * step;
      return { at: begin + ms, ms, isAfterFold: index > 0 };
    });
  });
}
