// The log of a session, as a test looks at it.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Json, TestServer } from './server.ts';

/** Asks until the answer is not that it can be had elsewhere or later. */
export async function whenFree<Reply extends { status: number }>(ask: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    const reply = await ask();
    if (reply.status !== 503) return reply;
    await sleep(20);
  }
}

/** All events that are kept of a session. */
export async function eventsOf(server: TestServer, session: string): Promise<Json[]> {
  const path = `/v1/sessions/${session}/events`;
  return (await whenFree(() => server.request('GET', path, undefined, { accept: 'application/json' }))).body['data'];
}

/** They are numbered from 1, without a gap. */
export function assertDense(events: readonly Json[]): void {
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1),
  );
}

/** The calls to which events of a type belong, in order. */
export function callsOf(events: readonly Json[], type: string): string[] {
  return events.filter((event) => event['type'] === type).map((event) => event['tool_use_id'] as string);
}
