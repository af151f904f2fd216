// How a turn goes, for people: redrawn in place on a terminal, line after line anywhere else.
import { styleText, stripVTControlCharacters } from 'node:util';
import type { StreamedEvent } from './read-events.ts';
import { timeline, type Paint } from './timeline.ts';
import { oneLine, TurnNotes, type NotedCall } from './turn-notes.ts';

export interface Progress {
  take(event: StreamedEvent): void;
  /** Draws the whole turn, where there is somebody to see it. Call it once, also when the turn broke off. */
  end(): void;
}

export const NO_PROGRESS: Progress = { take() {}, end() {} };

const REDRAW_MS = 100;

export function showProgress(stream: NodeJS.WriteStream): Progress {
  const paint: Paint = (format, text) => (text === '' ? '' : styleText(format, text, { stream }));
  // Of a reader that has gone: the results matter, and go on.
  stream.on('error', () => {});
  return stream.isTTY ? redrawn(stream, paint) : lineAfterLine(stream, paint);
}

function lineAfterLine(stream: NodeJS.WriteStream, paint: Paint): Progress {
  const notes = new TurnNotes();
  const say = (text: string): void => void stream.write(`${Math.round(notes.now()).toString().padStart(7)} ms  ${text}\n`);
  return {
    take(event) {
      const call = notes.take(event);
      const words = call === undefined ? undefined : wordsOf(event, call);
      if (call !== undefined && words !== undefined) say(`${call.name} ${call.about}: ${words}`);
    },
    end: () => void stream.write(drawing(notes, paint)),
  };
}

function wordsOf(event: StreamedEvent, { times, lastLine }: NotedCall): string | undefined {
  switch (event.type) {
    case 'call_queued':
      return 'queued';
    case 'call_started':
      return 'runs';
    case 'approval_requested':
      return `needs an approval: ${oneLine((event['approval'] as { reason?: string }).reason, 200)}`;
    case 'progress':
      return lastLine === '' ? undefined : lastLine;
    case 'call_finished':
      return `${times.outcome} after ${times.durationMs} ms`;
    default:
      return undefined;
  }
}

function redrawn(stream: NodeJS.WriteStream, paint: Paint): Progress {
  const notes = new TurnNotes();
  let drawn = 0;
  const wipe = (): string => (drawn === 0 ? '' : `\u001B[${drawn}A\u001B[0J`);
  const draw = (): void => {
    const lines = [...notes.calls.values()].map((call) => rowOf(call, { now: notes.now(), columns: stream.columns || 80, paint }));
    // What has scrolled away cannot be drawn again.
    const shown = lines.slice(-Math.max(1, (stream.rows || 24) - 2));
    stream.write(`${wipe()}${shown.map((line) => `${line}\n`).join('')}`);
    drawn = shown.length;
  };
  const timer = setInterval(draw, REDRAW_MS);
  return {
    take: (event) => void notes.take(event),
    end() {
      clearInterval(timer);
      stream.write(wipe() + drawing(notes, paint));
    },
  };
}

const FRAMES = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';

function rowOf(
  { name, about, state, lastLine, times }: NotedCall,
  { now, columns, paint }: { now: number; columns: number; paint: Paint },
): string {
  const ms = state === 'done' ? times.durationMs : now - (state === 'running' ? times.startedMs : times.queuedMs);
  const time = ms < 10_000 ? `${Math.round(ms)} ms` : `${Math.round(ms / 1000)} s`;
  const spinner = FRAMES[Math.floor(now / REDRAW_MS) % FRAMES.length] ?? '';
  const ok = times.outcome === 'ok';
  const mark = state === 'done' ? paint(ok ? 'green' : 'red', ok ? '✓' : '✗') : paint('cyan', state === 'running' ? spinner : '·');
  const head = `  ${mark} ${paint('bold', oneLine(name, 24))} ${oneLine(about, Math.max(1, columns - 56))}  ${paint('dim', `${state === 'done' ? times.outcome : state}, ${time}`)}`;
  const room = columns - stripVTControlCharacters(head).length - 3;
  const tail = state === 'running' && room > 10 ? `  ${paint('dim', oneLine(lastLine, room))}` : '';
  return head + tail;
}

function drawing(notes: TurnNotes, paint: Paint): string {
  const calls = [...notes.calls.values()];
  if (calls.length === 0) return '';
  return `\n${timeline(calls, { totalMs: Math.max(...calls.map(({ times }) => times.releasedMs)) }, paint).join('\n')}\n\n`;
}
