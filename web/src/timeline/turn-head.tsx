import { useRef } from 'preact/hooks';
import { batchBorders } from '../model/bars.ts';
import { counted } from '../model/count.ts';
import { showMs, showTime } from '../model/durations.ts';
import { CALL_HEIGHT, type Row } from '../model/rows.ts';
import { batchSizes, isOpen } from '../model/session-model.ts';
import { labelPx, tickCount, ticksOf } from '../model/zoom.ts';
import type { LiveSession } from '../session/live-session.ts';
import { useWidth } from './use-width.ts';
import type { Zoom } from './use-zoom.ts';

interface TurnHeadProps {
  readonly row: Extract<Row, { kind: 'turn' }>;
  readonly session: LiveSession;
  readonly zoom: Zoom;
}

/** A turn in one line, and the ruler of its calls. */
export function TurnHead({ row: { turn, top }, session, zoom }: TurnHeadProps) {
  if (isOpen(turn)) void session.frame.value;
  const span = zoom.spanOf(turn);
  const percent = (ms: number): string => `${((ms - span.from) / (span.to - span.from)) * 100}%`;
  const ruler = useRef<HTMLDivElement>(null);
  const width = useWidth(ruler);
  const ticks = ticksOf(span, tickCount(span, width));
  /** A label that would be cut is left out. */
  const isRoom = (ms: number): boolean => (1 - (ms - span.from) / (span.to - span.from)) * width > labelPx(ms);
  const sizes = batchSizes(turn);
  const shown = sizes.slice(0, 12).map((size) => `[${size}]`);
  const status = turn.status === 'running' && !isOpen(turn) ? 'completed' : turn.status;
  return (
    <div class="turn-head" role="presentation" data-turn={turn.id} style={{ top: `${top}px` }}>
      <div class="turn-words">
        <b>Turn {turn.number}</b>
        <span class="tag" data-tone={isOpen(turn) ? 'running' : status === 'completed' ? 'ok' : 'stopped'}>
          {status}
        </span>
        <span>{showMs((turn.endedAt ?? session.now()) - turn.startedAt)}</span>
        <span>
          {counted(turn.calls.length, 'call')} in {counted(sizes.length, 'batch', 'batches')}{' '}
          <span class="mono">
            {shown.join(' ')}
            {sizes.length > 12 ? ' …' : ''}
          </span>
        </span>
        {turn.stop !== undefined && <span>stopped: {turn.stop}</span>}
        <span class="turn-time">{showTime(new Date(turn.startedAt).toISOString())}</span>
      </div>
      <div ref={ruler} class="line ruler">
        {ticks.map((ms) => (
          <span key={ms} class="tick" style={{ left: percent(ms) }}>
            {isRoom(ms) && (ms === 0 ? '0' : showMs(ms))}
          </span>
        ))}
      </div>
      <div class="line borders" style={{ height: `${turn.calls.length * CALL_HEIGHT}px` }}>
        {ticks.map((ms) => (
          <i key={`at ${ms}`} class="grid" style={{ left: percent(ms) }} />
        ))}
        {batchBorders(turn, span).map((left, index) => (
          <i key={index} style={{ left: `${left}%` }} />
        ))}
      </div>
    </div>
  );
}
