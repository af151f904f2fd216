// Plays a streamed message into a session over the WebSocket and notes when what happens to each call.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallTimes } from '../src/cli/timeline.ts';
import type { StreamEvent } from './demo-message.ts';

/** Milliseconds between two events of the model: those of a fast one. */
const EVENT_GAP_MS = 2;

/** Times are milliseconds since the message began. */
export interface PlayedCall extends CallTimes {
  /** When the model began to write the call. */
  writtenFromMs: number;
  /** Text of the result. */
  content: string;
}

export interface PlayedTurn {
  /** By id, in the order in which the results came. */
  readonly calls: ReadonlyMap<string, Readonly<PlayedCall>>;
  /** When the model had written its last event. */
  readonly writtenMs: number;
  readonly totalMs: number;
}

interface Frame {
  readonly type: string;
  readonly tool_use_id?: string;
  readonly [key: string]: unknown;
}

/** @throws Error when the socket ends before the turn does; the reason of `signal` when that fires */
export async function playMessage(socketUrl: string, events: readonly StreamEvent[], signal: AbortSignal): Promise<PlayedTurn> {
  const socket = new WebSocket(socketUrl, 'toolexec.v1');
  try {
    await once(socket, 'open', { signal });
    const notes = new Notes();
    const { promise: completed, resolve, reject } = Promise.withResolvers<void>();
    socket.addEventListener('message', ({ data }: { data: string }) => {
      const frame = JSON.parse(data) as Frame;
      if (frame.type === 'error') reject(new Error(`The service refused a frame: ${data}`));
      notes.take(frame);
      if (frame.type === 'turn_completed') resolve();
    });
    socket.addEventListener('close', ({ code }) => reject(new Error(`The socket was closed with code ${code}.`)));
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    const [writtenMs] = await Promise.all([send(socket, events, { notes, signal }), completed]);
    return { calls: notes.inOrder(), writtenMs, totalMs: notes.now() };
  } finally {
    socket.close();
  }
}

async function send(
  socket: WebSocket,
  events: readonly StreamEvent[],
  { notes, signal }: { notes: Notes; signal: AbortSignal },
): Promise<number> {
  for (const [position, event] of events.entries()) {
    if (position > 0) await sleep(EVENT_GAP_MS, undefined, { signal });
    notes.sent(event);
    socket.send(JSON.stringify(event));
  }
  return notes.now();
}

class Notes {
  readonly #beganMs = performance.now();
  readonly #calls = new Map<string, PlayedCall>();
  readonly #released: string[] = [];

  now(): number {
    return performance.now() - this.#beganMs;
  }

  inOrder(): Map<string, PlayedCall> {
    return new Map(this.#released.map((id) => [id, this.#of(id)]));
  }

  sent(event: StreamEvent): void {
    const block = event['content_block'] as { type: string; id: string } | undefined;
    if (block?.type === 'tool_use') this.#of(block.id).writtenFromMs = this.now();
  }

  take(frame: Frame): void {
    if (frame.tool_use_id === undefined) return;
    const call = this.#of(frame.tool_use_id);
    const nowMs = this.now();
    switch (frame.type) {
      case 'call_queued':
        call.queuedMs = call.startedMs = nowMs;
        Object.assign(call, { batch: frame['batch'] });
        break;
      case 'call_started':
        call.startedMs = nowMs;
        break;
      case 'call_finished':
        call.finishedMs = nowMs;
        Object.assign(call, { outcome: frame['outcome'], durationMs: frame['duration_ms'] });
        break;
      case 'tool_result':
        call.releasedMs = nowMs;
        call.content = contentText((frame['result'] as { content: unknown }).content);
        this.#released.push(frame.tool_use_id);
        break;
    }
  }

  #of(id: string): PlayedCall {
    let call = this.#calls.get(id);
    if (call === undefined) {
      const times = { writtenFromMs: 0, queuedMs: 0, startedMs: 0, finishedMs: 0, releasedMs: 0, durationMs: 0 };
      call = { ...times, batch: 0, outcome: '', content: '' };
      this.#calls.set(id, call);
    }
    return call;
  }
}

function contentText(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}
