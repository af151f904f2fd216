// What is known of a turn while its events come in, for whoever draws it. Times are milliseconds since the first event.
import { clipped } from '../contract/index.ts';
import type { StreamedEvent } from './read-events.ts';
import type { CallTimes } from './timeline.ts';

export interface NotedCall {
  readonly name: string;
  /** The input in a few words. */
  readonly about: string;
  state: 'queued' | 'running' | 'done';
  /** The last line that it has printed. */
  lastLine: string;
  readonly times: CallTimes;
}

/** Characters of an input that are told. */
const ABOUT_CHARS = 40;
/** What tells most of an input, where it is there. */
const TELLING = ['description', 'command', 'file_path', 'pattern', 'query', 'url', 'path', 'prompt'];

export class TurnNotes {
  readonly calls = new Map<string, NotedCall>();
  #beganMs: number | undefined;

  now(): number {
    return performance.now() - (this.#beganMs ??= performance.now());
  }

  /** @returns the call that the event is about, if it is about one */
  take(event: StreamedEvent): NotedCall | undefined {
    const now = this.now();
    const approval = event['approval'] as { tool_use_id?: string } | undefined;
    const id = event.tool_use_id ?? approval?.tool_use_id ?? '';
    if (event.type === 'call_queued') this.calls.set(id, newCall(event, now));
    const call = this.calls.get(id);
    if (call === undefined) return undefined;
    const { times } = call;
    switch (event.type) {
      case 'call_started':
        call.state = 'running';
        times.startedMs = now;
        break;
      case 'progress':
        call.lastLine = lastLineOf(event['data']) ?? call.lastLine;
        break;
      case 'call_finished':
        if (call.state === 'queued') times.startedMs = now;
        call.state = 'done';
        times.finishedMs = times.releasedMs = now;
        Object.assign(times, { outcome: event['outcome'], durationMs: event['duration_ms'] });
        break;
      case 'tool_result':
        times.releasedMs = now;
        break;
      default:
        break;
    }
    return call;
  }
}

function newCall(event: StreamedEvent, now: number): NotedCall {
  const times = { queuedMs: now, startedMs: now, finishedMs: now, releasedMs: now, durationMs: 0, outcome: '' };
  const batch = Number(event['batch']);
  return {
    name: oneLine(event['name'], 64),
    about: aboutOf(event['input']),
    state: 'queued',
    lastLine: '',
    times: { ...times, batch },
  };
}

function aboutOf(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  const named = TELLING.map((key) => (input as Record<string, unknown>)[key]).find((value) => typeof value === 'string');
  return oneLine(named ?? JSON.stringify(input), ABOUT_CHARS);
}

function lastLineOf(data: unknown): string | undefined {
  const { text } = (data ?? {}) as { text?: unknown };
  if (typeof text !== 'string') return undefined;
  const last = text.split('\n').findLast((line) => line.trim() !== '');
  return last === undefined ? undefined : oneLine(last, 200);
}

/** What a call or a model says must not move the cursor, nor turn the direction of what stands after it. */
export function oneLine(value: unknown, most: number): string {
  const text = String(value)
    .replaceAll(/[\p{Cc}\u202A-\u202E\u2066-\u2069]+/gu, ' ')
    .trim();
  return clipped(text, most);
}
