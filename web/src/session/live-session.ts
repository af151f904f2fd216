// Follows one session: events are folded as they come, and drawn at most once a frame.
import { signal, type ReadonlySignal } from '@preact/signals';
import type { Session } from '../../../client/src/index.ts';
import { client, inWords, socketState, watcher } from '../connection.ts';
import { applyEvent } from '../model/apply-event.ts';
import { emptyModel, isOpen, type SessionModel } from '../model/session-model.ts';

/** Events before the present that a long session is shown from. */
const SHOWN_EVENTS = 20_000;

export interface LiveSession {
  readonly id: string;
  /** The session itself, for the key that was given when its page was opened. */
  readonly remote: Session;
  readonly model: SessionModel;
  /** Changes whenever the model has: read it to be drawn again. */
  readonly version: ReadonlySignal<number>;
  /** Counts on each frame while something runs. */
  readonly frame: ReadonlySignal<number>;
  /** `replaying` until all that had happened before is here. */
  readonly state: ReadonlySignal<'replaying' | 'live'>;
  /** Why it is not followed any more. */
  readonly fault: ReadonlySignal<string | null>;
  /** Milliseconds since 1970, by the clock of the service. */
  now(): number;
  close(): void;
}

export function followSession(id: string): LiveSession {
  const model = emptyModel();
  const version = signal(0);
  const frame = signal(0);
  const state = signal<'replaying' | 'live'>('replaying');
  const fault = signal<string | null>(null);
  const leave = new AbortController();
  let clockAheadMs = 0;
  let caughtUpAt = 0;
  let changed = false;
  let drawing = 0;

  const draw = (): void => {
    drawing = 0;
    if (changed) version.value++;
    changed = false;
    const isReplayed = model.lastSeq >= caughtUpAt;
    if (isReplayed && caughtUpAt >= 0) state.value = 'live';
    const runs = model.turns.some(isOpen);
    if (runs) frame.value++;
    if (runs && socketState.value !== 'lost') schedule();
  };
  const schedule = (): void => {
    if (drawing === 0 && !leave.signal.aborted) drawing = requestAnimationFrame(draw);
  };

  const follow = async (): Promise<void> => {
    const { sessions } = watcher.value;
    const { last_seq: lastSeq } = await sessions.get(id);
    caughtUpAt = lastSeq;
    model.missing = Math.max(0, lastSeq - SHOWN_EVENTS);
    model.lastSeq = model.missing;
    for await (const event of sessions.open(id).watch({ after: model.missing, signal: leave.signal })) {
      if (event.type === 'session') caughtUpAt = event.session.last_seq;
      if ('time' in event && model.lastSeq >= caughtUpAt) clockAheadMs = Date.parse(event.time) - Date.now();
      applyEvent(model, event);
      changed = true;
      schedule();
    }
  };
  follow().catch((error: unknown) => {
    if (!leave.signal.aborted) fault.value = inWords(error);
  });

  return {
    id,
    remote: client.value.sessions.open(id),
    model,
    version,
    frame,
    state,
    fault,
    now: () => Math.max(model.now, Date.now() + clockAheadMs),
    close() {
      leave.abort();
      cancelAnimationFrame(drawing);
    },
  };
}
