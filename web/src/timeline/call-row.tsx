import { barOf, describeCall } from '../model/bars.ts';
import { titleOf } from '../model/call-title.ts';
import { showMs } from '../model/durations.ts';
import type { Row } from '../model/rows.ts';
import { callKey, isOpen, type Call } from '../model/session-model.ts';
import { selectCall } from '../navigation.ts';
import type { LiveSession } from '../session/live-session.ts';
import type { Zoom } from './use-zoom.ts';

interface CallRowProps {
  readonly row: Extract<Row, { kind: 'call' }>;
  readonly session: LiveSession;
  readonly zoom: Zoom;
  /** All calls of the list. */
  readonly count: number;
  readonly isSelected: boolean;
}

export function rowId(key: string): string {
  return `call-${key}`;
}

export function CallRow({ row, session, zoom, count, isSelected }: CallRowProps) {
  const { call, turn, top, place, beginsBatch, endsBatch } = row;
  // What has ended stands still.
  if (isOpen(turn)) void session.frame.value;
  const bar = barOf(call, turn, { ...zoom.viewOf(turn), now: session.now() });
  const { look } = bar;
  const key = callKey(turn.id, call.id);
  const words = describeCall(call, turn);
  return (
    <div
      id={rowId(key)}
      class="row"
      role="option"
      aria-selected={isSelected}
      aria-posinset={place}
      aria-setsize={count}
      data-turn={turn.id}
      data-tone={look.tone}
      data-begins={beginsBatch && call.index > 0}
      style={{ top: `${top}px` }}
      onClick={() => selectCall(isSelected ? null : key)}
    >
      <span class="bracket" aria-hidden="true" data-concurrent={call.concurrent} data-begins={beginsBatch} data-ends={endsBatch} />
      <span class="row-label">
        <i class="sr-only">{words.before}</i>
        <b>{call.name}</b> <span>{titleOf(call)}</span>
        <i class="sr-only">{words.after}</i>
      </span>
      <span class="line" aria-hidden="true">
        {bar.pieces.map(({ kind, left, width }) => (
          <i key={kind} class="piece" data-kind={kind} style={{ left: `${left}%`, width: `${width}%` }} />
        ))}
        {bar.release !== undefined && <i class="release" style={{ left: `${bar.release}%` }} />}
      </span>
      <span class="row-end" aria-hidden="true">
        <span class="sign">{look.sign}</span>
        <span>{duration(call, session.now())}</span>
      </span>
    </div>
  );
}

function duration({ startedAt, finishedAt }: Call, now: number): string {
  if (startedAt === undefined) return '';
  const ms = (finishedAt ?? now) - startedAt;
  return ms < 1 ? '<1 ms' : showMs(ms);
}
