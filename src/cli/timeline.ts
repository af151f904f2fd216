// Draws a turn as a timeline: a line a call, on one axis of time. What is apart in time is drawn apart, also where it is
// less than a column.
import type { styleText } from 'node:util';

/** Columns of the axis. */
const WIDTH = 50;

type Format = Parameters<typeof styleText>[0];
/** Colours text where the terminal takes colours. */
export type Paint = (format: Format, text: string) => string;

/** Columns of one call: written, then queued, then running, then done, and the column in which the result goes out. */
interface Bar {
  readonly from: number;
  readonly queued: number;
  readonly running: number;
  readonly done: number;
  readonly released: number;
}

/** Times are milliseconds since the turn began. */
export interface CallTimes {
  batch: number;
  outcome: string;
  durationMs: number;
  /** When the model began to write the call; absent where the message came whole. */
  writtenFromMs?: number;
  queuedMs: number;
  startedMs: number;
  finishedMs: number;
  releasedMs: number;
}

export interface TimelineCall {
  readonly name: string;
  /** The input in a few words. */
  readonly about: string;
  readonly times: Readonly<CallTimes>;
}

/** @param calls in call order */
export function timeline(calls: readonly TimelineCall[], { totalMs }: { readonly totalMs: number }, paint: Paint): string[] {
  if (calls.length === 0) return [];
  const bars = layOut(calls, totalMs);
  const columns = Math.max(WIDTH, ...bars.map(({ released }) => released + 1));
  const about = Math.max(...calls.map((call) => call.about.length));
  const outcomes = Math.max(...calls.map(({ times }) => times.outcome.length));
  const names = Math.max(...calls.map(({ name }) => name.length));
  const numbers = String(calls.length).length;
  const left = 8 + numbers + names + about;
  const lines = calls.map((call, index) => {
    const bar = bars[index] as Bar;
    const head = `${paint('gray', bracket(calls, index))} ${String(index + 1).padStart(numbers)} ${paint('bold', call.name.padEnd(names))} ${call.about.padEnd(about)}`;
    return `  ${head}  ${drawBar(bar, columns, paint)}  ${ending(call.times, outcomes, paint)}`;
  });
  const legend = [
    ...(calls.some(({ times }) => times.writtenFromMs !== undefined) ? [`${paint('dim', '·')} the model writes it`] : []),
    `${paint('dim', '░')} queued`,
    `${paint('cyan', '█')} runs`,
    `${paint('cyan', '─')} done, waits for its turn`,
    `${paint(['bold', 'green'], '◆')} result goes out`,
  ];
  return [`${' '.repeat(left)}${paint('dim', axis(columns, totalMs))}`, ...lines, '', `  ${legend.join('   ')}`];
}

function layOut(calls: readonly TimelineCall[], totalMs: number): Bar[] {
  const column = (ms: number): number => columnAt(ms, totalMs);
  const bars: Bar[] = [];
  /** First column after all batches before the current one. */
  let barrier = 0;
  for (const [index, { times }] of calls.entries()) {
    const earlier = calls[index - 1];
    if (earlier !== undefined && earlier.times.batch !== times.batch) barrier = Math.max(...bars.map(({ done }) => done));
    const from = column(times.writtenFromMs ?? times.queuedMs);
    const queued = times.writtenFromMs === undefined ? from : Math.max(column(times.queuedMs), from + 1);
    const running = Math.max(column(times.startedMs), queued, barrier);
    const done = Math.max(column(times.finishedMs), running + 1);
    const released = Math.max(column(times.releasedMs), done, bars.at(-1)?.released ?? 0);
    bars.push({ from, queued, running, done, released });
  }
  return bars;
}

function drawBar({ from, queued, running, done, released }: Bar, columns: number, paint: Paint): string {
  return [
    ' '.repeat(from),
    paint('dim', '·'.repeat(queued - from)),
    paint('dim', '░'.repeat(running - queued)),
    paint('cyan', '█'.repeat(done - running)),
    paint('cyan', '─'.repeat(released - done)),
    paint(['bold', 'green'], '◆'),
    ' '.repeat(columns - released - 1),
  ].join('');
}

/** Holds the calls of a batch together. */
function bracket(calls: readonly TimelineCall[], index: number): string {
  const batch = calls[index]?.times.batch;
  const above = calls[index - 1]?.times.batch === batch;
  const below = calls[index + 1]?.times.batch === batch;
  if (above) return below ? '│' : '╰';
  return below ? '╭' : '╶';
}

function ending({ outcome, durationMs }: CallTimes, width: number, paint: Paint): string {
  const time = durationMs < 1 ? '<1 ms' : `${durationMs} ms`;
  return `${paint(outcome === 'ok' ? 'green' : 'red', outcome.padEnd(width))} ${time.padStart(6)}`;
}

/** A ruler with a mark at every round time; a time that would not fit is left out. */
function axis(columns: number, totalMs: number): string {
  const round = [10, 20, 25, 50, 100, 200, 250, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000];
  const step = round.find((ms) => totalMs / ms <= 5) ?? Math.ceil(totalMs / 5);
  let ruler = '';
  for (let ms = 0; ms <= totalMs; ms += step) {
    const next = `${ruler.padEnd(columnAt(ms, totalMs))}╷${ms === 0 ? '0' : `${ms} ms`}`;
    if (next.length <= columns) ruler = next;
  }
  return ruler;
}

function columnAt(ms: number, totalMs: number): number {
  return Math.floor((ms / Math.max(totalMs, 1)) * (WIDTH - 2));
}
