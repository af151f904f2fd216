// Server-Sent Events of a session, resumed whenever they break off.
import { setTimeout as wait } from 'node:timers/promises';
import type { LoggedEvent } from '../../src/contract/index.ts';
import { answerApproval, hasEnded, hearEvent, messageOf, type DrivenTurn } from './driven-turn.ts';
import { eventsOf, readStream, type Stream } from './reader.ts';
import type { SessionClient } from './session-client.ts';

const PAUSE_MS = 100;

interface Following {
  readonly stream: Stream;
  readonly signal: AbortSignal;
  /** @returns whether that was the last one it wants */
  readonly heard: (event: LoggedEvent) => boolean;
}

/** Reads the log until it has what it wants. @throws Error when the signal fires */
async function follow({ http, path, ledger }: SessionClient, { stream, signal, heard }: Following): Promise<void> {
  const left = new AbortController();
  const either = AbortSignal.any([signal, left.signal]);
  try {
    for (;;) {
      const headers = { accept: 'text/event-stream', 'last-event-id': String(stream.last) };
      const body = await http.stream({ method: 'GET', path: `${path}/events`, headers, signal: either });
      if (await takeAll(body, stream, heard)) return;
      signal.throwIfAborted();
      ledger.count('reconnects');
      await wait(PAUSE_MS, undefined, { signal });
    }
  } finally {
    left.abort();
  }
}

/** @returns whether it has got what it wants, before the body broke off */
async function takeAll(body: AsyncIterable<Buffer>, stream: Stream, heard: (event: LoggedEvent) => boolean): Promise<boolean> {
  try {
    for await (const event of eventsOf(body)) {
      const logged = stream.take(event);
      if (logged !== undefined && heard(logged)) return true;
    }
  } catch (error) {
    if (error instanceof SyntaxError) throw error;
    // It broke off: resumed after the last event that came.
  }
  return false;
}

/** Reads all events of a session while the run goes on. */
export async function followSession(client: SessionClient, signal: AbortSignal): Promise<void> {
  const stream = readStream(client, { after: 0, whole: true });
  await follow(client, { stream, signal, heard: () => false }).catch((error: unknown) => {
    if (!signal.aborted) client.ledger.violate(client.plan.tag, 'its events could not be followed', String(error));
  });
}

/** Runs a message with a POST that streams; where that breaks off, goes on with the log. @throws Error when the run is over */
export async function driveSse(driven: DrivenTurn): Promise<void> {
  const { client, plan } = driven;
  const { http, path, seen, ledger } = client;
  const heard = (event: LoggedEvent): boolean => {
    hearEvent(driven, event);
    if (event.type === 'approval_requested') void answerApproval(driven, event.approval).catch(() => undefined);
    return hasEnded(driven);
  };
  for (;;) {
    const after = Math.max(0, ...seen.keys());
    const headers = { accept: 'text/event-stream' };
    const body = await http.stream({ method: 'POST', path: `${path}/messages`, body: messageOf(plan), headers });
    const stream = readStream(client, { after: 0, whole: false });
    if (await takeAll(body, stream, heard)) return;
    ledger.count('reconnects');
    // Nothing was heard of it: the same message again joins it, if it was taken.
    if (driven.turnIds.size === 0) continue;
    const signal = http.signal;
    return follow(client, { stream: readStream(client, { after: Math.max(after, stream.last), whole: true }), signal, heard });
  }
}
