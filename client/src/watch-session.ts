// A session over sockets, one after another: what is lost when one drops is told by the next.
import type { ClientWork } from './client-work.ts';
import { Connection, type ServerFrame } from './connection.ts';
import type { SessionPlace } from './resources.ts';
import type { ToolexecEvent } from './types.ts';
import { backoffMs, isAborted, LASTING_MS, sleep } from './wait.ts';

export interface WatchOptions {
  /** First what the log holds after this `seq`. Default: only what happens from now on. */
  readonly after?: number;
  /** Ends the iteration. */
  readonly signal?: AbortSignal;
}

export interface Watched {
  readonly place: SessionPlace;
  readonly work: ClientWork;
  readonly options: WatchOptions;
  /** Told of each socket, and of `null` when it has closed. */
  readonly onConnection?: (connection: Connection | null) => void;
}

/** @throws ToolexecProblem when the session is gone, or the key is not valid */
export async function* watchSession(watched: Watched): AsyncGenerator<ToolexecEvent> {
  for await (const frame of sessionFrames(watched)) if (frame.type !== 'ack' && frame.type !== 'pong') yield frame;
}

/** Each event of the log once, in order, and all that belongs to one socket alone. Ends quietly when the signal fires. */
export async function* sessionFrames({ place, work, options, onConnection }: Watched): AsyncGenerator<ServerFrame> {
  const { transport, path } = place;
  const { signal } = options;
  const position = { seq: options.after };
  for (let failures = 0; !isAborted(signal); failures += 1) {
    const connection = new Connection(transport, `${path}/stream`, position.seq);
    const close = (): void => connection.close();
    const detach = work.attach((progress) => connection.send(progress));
    signal?.addEventListener('abort', close, { once: true });
    onConnection?.(connection);
    const began = Date.now();
    try {
      for await (const frame of connection.frames()) {
        if (frame.type === 'session') subscribe(connection, work);
        else if (frame.type !== 'error') failures = 0;
        if (frame.type !== 'ack' && frame.type !== 'pong') work.see(frame);
        if (advance(position, frame)) yield frame;
      }
    } finally {
      onConnection?.(null);
      signal?.removeEventListener('abort', close);
      detach();
      close();
    }
    const refusal = connection.refusal;
    if (refusal !== undefined) throw refusal;
    if (isAborted(signal)) return;
    if (Date.now() - began > LASTING_MS) failures = 0;
    if (failures >= transport.retries) throw new TypeError(`No connection to ${transport.url} comes about.`);
    await sleep(backoffMs(failures), signal).catch(() => {
      // The loop sees that the signal has fired.
    });
  }
}

function subscribe(connection: Connection, { toolNames }: ClientWork): void {
  if (toolNames.length > 0) connection.send({ type: 'subscribe', client_tools: toolNames });
}

/** @returns false for an event that was told before: what lies with the client is told to each of its sockets */
function advance(position: { seq: number | undefined }, frame: ServerFrame): boolean {
  if (frame.type === 'session') {
    position.seq = Math.min(position.seq ?? Infinity, frame.session.last_seq);
  } else if (frame.type === 'gap') {
    position.seq = Math.max(position.seq ?? 0, frame.to);
  } else if ('seq' in frame) {
    if (position.seq !== undefined && frame.seq <= position.seq) return false;
    position.seq = frame.seq;
  }
  return true;
}
