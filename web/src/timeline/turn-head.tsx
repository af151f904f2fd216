import { useRef } from 'preact/hooks';
import { batchBorders } from '../model/bars.ts';
import { counted } from '../model/count.ts';
import { showMs, showTime } from '../model/durations.ts';
import { CALL_HEIGHT, type Row } from '../model/rows.ts';
import { batchSizes, isOpen } from '../model/session-model.ts';
import { rulerOf } from '../model/ruler.ts';
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
  const view = zoom.viewOf(turn);
  const ruler = useRef<HTMLDivElement>(null);
  const width = useWidth(ruler);
  const { ticks, folds } = rulerOf(view.axis, view.span, width);
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
        {ticks.map(({ left, label }) => (
          <span key={left} class="tick" style={{ left: `${left}%` }}>
            {label}
          </span>
        ))}
        {folds.map(({ labelLeft, label }) => (
          <span key={labelLeft} class="fold-label" title="Nothing ran in this time: it is drawn short" style={{ left: `${labelLeft}%` }}>
            {label}
          </span>
        ))}
      </div>
      <div class="line borders" style={{ height: `${turn.calls.length * CALL_HEIGHT}px` }}>
        {folds.map(({ left, width: wide }) => (
          <i key={`fold ${left}`} class="fold" style={{ left: `${left}%`, width: `${wide}%` }} />
        ))}
        {ticks.map(({ left }) => (
          <i key={`at ${left}`} class="grid" style={{ left: `${left}%` }} />
        ))}
        {batchBorders(turn, view).map((left, index) => (
          <i key={index} style={{ left: `${left}%` }} />
        ))}
      </div>
    </div>
  );
}
