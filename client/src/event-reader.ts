// A session's events as Server-Sent Events, over whichever request brings them. A connection that breaks, or from which
// nothing comes any more, is replaced by one that goes on after the last event.
import type { ClientWork } from './client-work.ts';
import { send, type RequestOptions } from './request.ts';
import type { SessionPlace } from './resources.ts';
import { readServerSentEvents } from './server-sent-events.ts';
import type { Transport } from './transport.ts';
import type { ToolexecEvent } from './types.ts';
import { backoffMs, isAborted, LASTING_MS, sleep } from './wait.ts';

export interface EventsOptions {
  /** Only events with a greater `seq`. Default 0: from the beginning. */
  readonly after?: number;
  /** False: ends at the present. Default true. */
  readonly follow?: boolean;
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
}

/** The service sends a sign of life every 15 seconds. */
const SILENCE_MS = 60_000;

/** @throws ToolexecProblem, such as `session-not-found` once the session is gone */
export async function* readEvents(given: { place: SessionPlace; work: ClientWork; options: EventsOptions }): AsyncGenerator<ToolexecEvent> {
  const { place, work, options } = given;
  const { after = 0, follow = true, signal } = options;
  const { transport, path } = place;
  const request = (last: number): RequestOptions => ({ path: `${path}/events`, query: { after: last, follow } });
  for await (const event of resumedEvents({ transport, request, after, ended: () => !follow, signal })) {
    work.see(event);
    yield event;
  }
}

interface Resumed {
  readonly transport: Transport;
  /** @param last `seq` of the last event that came */
  readonly request: (last: number) => RequestOptions;
  readonly after: number;
  /** Whether a stream that ended properly has told all. */
  readonly ended: (last: ToolexecEvent | undefined) => boolean;
  readonly signal: AbortSignal | undefined;
}

/** Each event of the log once, in order; ends quietly when the signal fires. @throws ToolexecProblem */
export async function* resumedEvents({ transport, request, after, ended, signal }: Resumed): AsyncGenerator<ToolexecEvent> {
  let seq = after;
  let newest: ToolexecEvent | undefined;
  for (let failures = 0; !isAborted(signal); failures += 1) {
    const began = Date.now();
    let broken: unknown;
    try {
      for await (const event of oneStream(transport, request(seq), signal)) {
        if ('seq' in event) {
          if (event.seq <= seq) continue;
          seq = event.seq;
        } else if (event.type === 'gap') seq = Math.max(seq, event.to);
        failures = 0;
        newest = event;
        yield event;
      }
    } catch (error) {
      if (isAborted(signal)) return;
      if (!isBroken(error)) throw error;
      broken = error;
    }
    if (broken === undefined && ended(newest)) return;
    if (Date.now() - began > LASTING_MS) failures = 0;
    if (failures >= transport.retries) throw broken ?? new TypeError('The service ends each stream of events at once.');
    await sleep(backoffMs(failures), signal).catch(() => {
      // The loop sees that the signal has fired.
    });
  }
}

/** Fetch reports a connection that failed as a TypeError; ours of silence is one, too. */
function isBroken(error: unknown): boolean {
  return error instanceof TypeError;
}

async function* oneStream(transport: Transport, request: RequestOptions, signal?: AbortSignal): AsyncGenerator<ToolexecEvent> {
  const leave = new AbortController();
  const silence = (): void => leave.abort(new TypeError('Nothing came from the service for a minute.'));
  const aborted = (): void => leave.abort(signal?.reason);
  let timer = setTimeout(silence, SILENCE_MS);
  signal?.addEventListener('abort', aborted, { once: true });
  try {
    const headers = { ...request.headers, accept: 'text/event-stream' };
    const { body } = await send(transport, { ...request, headers, signal: leave.signal });
    if (body === null) return;
    for await (const data of readServerSentEvents(body)) {
      clearTimeout(timer);
      timer = setTimeout(silence, SILENCE_MS);
      if (data !== null) yield JSON.parse(data) as ToolexecEvent;
    }
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', aborted);
    leave.abort();
  }
}
