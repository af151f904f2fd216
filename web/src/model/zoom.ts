// The part of a turn's line that the timeline shows, in milliseconds along it (axis.ts).

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Where a moment lies on the line, in percent of it: below 0 and above 100 out of sight. */
export function percentOf({ from, to }: Span, at: number): number {
  return ((at - from) / (to - from)) * 100;
}

/** Nothing is shown larger than this many milliseconds across. */
const SMALLEST_MS = 2;

/**
 * Shows more or less around one moment.
 * @param factor below 1 shows less of the turn, larger
 * @param at the moment that stays where it is
 */
export function zoomSpan(span: Span, factor: number, { at, whole }: { at: number; whole: Span }): Span {
  const width = Math.max(Math.min(SMALLEST_MS, whole.to - whole.from), (span.to - span.from) * factor);
  const share = (at - span.from) / Math.max(span.to - span.from, Number.EPSILON);
  const from = at - width * share;
  return within({ from, to: from + width }, whole);
}

/** @param share of what is shown, negative to the left */
export function panSpan(span: Span, share: number, whole: Span): Span {
  const by = (span.to - span.from) * share;
  return within({ from: span.from + by, to: span.to + by }, whole);
}

export function isWhole(span: Span, whole: Span): boolean {
  return span.from <= whole.from && span.to >= whole.to;
}

/** Moves a span into the whole, and makes it the whole when it is larger. */
function within({ from, to }: Span, whole: Span): Span {
  const width = to - from;
  if (width >= whole.to - whole.from) return whole;
  const start = Math.min(Math.max(from, whole.from), whole.to - width);
  return { from: start, to: start + width };
}

/** Pixels that a label of such a moment takes, with room beside it: minutes are written longer. */
export function labelPx(ms: number): number {
  return ms < 60_000 ? 52 : 70;
}

/** How many moments a line of this width has room to label. */
export function tickCount({ to }: Span, widthPx: number): number {
  return Math.min(6, Math.max(1, Math.floor(widthPx / labelPx(to))));
}

/** Milliseconds between round moments of which a span has at most about `count`. */
export function tickStep({ from, to }: Span, count: number): number {
  const rough = (to - from) / Math.max(count, 1);
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1e-3)));
  // Parts of a millisecond are not written.
  const steps = power < 10 ? [1, 2, 5, 10] : [1, 2, 2.5, 5, 10];
  return steps.map((times) => times * power).find((size) => size >= rough) ?? power * 10;
}
