// What part of a turn's line is shown. One turn at a time is shown larger; the others are shown whole.
import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { axisOf, quietOf, type Axis, type Quiet } from '../model/axis.ts';
import type { LineView } from '../model/bars.ts';
import type { Turn } from '../model/session-model.ts';
import { isWhole, panSpan, zoomSpan, type Span } from '../model/zoom.ts';
import { place } from '../navigation.ts';
import type { LiveSession } from '../session/live-session.ts';

const STEP = 0.6;
/** Share of what is shown. */
const PAN = 0.2;

export interface Zoom {
  readonly viewOf: (turn: Turn) => LineView;
  readonly isZoomed: () => boolean;
  readonly larger: () => void;
  readonly smaller: () => void;
  readonly whole: () => void;
  readonly earlier: () => void;
  readonly later: () => void;
  /** @returns whether the key means something here */
  readonly takeKey: (key: string) => boolean;
}

export function useZoom(session: LiveSession, list: RefObject<HTMLElement | null>): Zoom {
  const zoomed = useSignal<{ turnId: string; span: Span } | null>(null);
  const { model } = session;
  const axis = useAxes(session);
  const whole = (turn: Turn): Span => ({ from: 0, to: axis(turn).length });
  const spanOf = (turn: Turn): Span => (zoomed.value?.turnId === turn.id ? zoomed.value.span : whole(turn));
  const viewOf = (turn: Turn): LineView => ({ axis: axis(turn), span: spanOf(turn) });
  /** The turn of the chosen call, else the one that is zoomed, else the newest. */
  const current = (): Turn | undefined => {
    const chosen = model.calls.get(place.peek().call ?? '')?.turnId ?? zoomed.peek()?.turnId;
    return (chosen !== undefined && model.turnsById.get(chosen)) || model.turns.at(-1);
  };
  const show = (turn: Turn, span: Span): void => {
    zoomed.value = isWhole(span, whole(turn)) ? null : { turnId: turn.id, span };
  };
  const zoomBy = (factor: number, turn = current(), share = 0.5): void => {
    if (turn === undefined) return;
    const span = spanOf(turn);
    show(turn, zoomSpan(span, factor, { at: span.from + (span.to - span.from) * share, whole: whole(turn) }));
  };
  const panBy = (share: number, turn = current()): void => {
    if (turn !== undefined) show(turn, panSpan(spanOf(turn), share, whole(turn)));
  };
  useEffect(() => {
    const element = list.current;
    if (element === null) return;
    const onWheel = (event: WheelEvent): void => {
      const line = (event.target as Element | null)?.closest<HTMLElement>('[data-turn]');
      const turn = model.turnsById.get(line?.dataset['turn'] ?? '');
      const zooms = event.ctrlKey || event.metaKey || event.altKey;
      const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
      if (turn === undefined || !(zooms || sideways !== 0)) return;
      event.preventDefault();
      const box = (line?.querySelector('.line') ?? element).getBoundingClientRect();
      if (zooms) zoomBy(Math.exp(event.deltaY * 0.003), turn, Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)));
      else panBy(sideways / Math.max(box.width, 1), turn);
    };
    // Not passive: a browser would zoom the whole page.
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  }, [session]);
  const larger = (): void => zoomBy(STEP);
  const smaller = (): void => zoomBy(1 / STEP);
  const fit = (): void => void (zoomed.value = null);
  const earlier = (): void => panBy(-PAN);
  const later = (): void => panBy(PAN);
  const keys: Readonly<Record<string, () => void>> = {
    '+': larger,
    '=': larger,
    '-': smaller,
    '0': fit,
    ArrowLeft: earlier,
    ArrowRight: later,
  };
  const takeKey = (key: string): boolean => {
    keys[key]?.();
    return Object.hasOwn(keys, key);
  };
  return { viewOf, isZoomed: () => zoomed.value !== null, larger, smaller, whole: fit, earlier, later, takeKey };
}

/** The axis of a turn, up to now while it runs. Its folds that are over are looked for once a change of the session. */
function useAxes(session: LiveSession): (turn: Turn) => Axis {
  const known = useMemo(() => new WeakMap<Turn, { readonly version: number; readonly quiet: Quiet }>(), [session]);
  return (turn) => {
    const version = session.version.value;
    let entry = known.get(turn);
    if (entry?.version !== version) known.set(turn, (entry = { version, quiet: quietOf(turn) }));
    return axisOf(entry.quiet, (turn.endedAt ?? session.now()) - turn.startedAt);
  };
}
