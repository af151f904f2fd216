// Events of a session as the service writes them, one second apart where nothing else is said.
import type { ConsoleEvent, LoggedEvent } from '../../web/src/model/wire.ts';

export type Told = { type: LoggedEvent['type']; at?: number; of?: string } & Record<string, unknown>;

const BEGAN = Date.parse('2026-01-01T00:00:00.000Z');

/** @param told what happened, in order; `at` is in milliseconds since the beginning, `of` its turn */
export function logOf(told: readonly Told[]): ConsoleEvent[] {
  return told.map(({ at, of = 'turn_1', ...event }, index) => {
    const time = new Date(BEGAN + (at ?? index * 1_000)).toISOString();
    // What a test leaves out of an event, the part under test does not read.
    return { seq: index + 1, time, session_id: 'ses_1', turn_id: of, ...event } as unknown as ConsoleEvent;
  });
}

export function queued(id: string, more: Record<string, unknown> = {}): Told {
  return { type: 'call_queued', tool_use_id: id, index: 0, name: 'Work', input: { id }, batch: 0, concurrent: true, ...more };
}

export function started(id: string, more: Record<string, unknown> = {}): Told {
  const decision = { behavior: 'allow', decided_by: 'mode default' };
  const view = { title: `Work ${id}` };
  return {
    type: 'call_started',
    tool_use_id: id,
    name: 'Work',
    batch: 0,
    concurrent: true,
    input: { id },
    view,
    decision,
    effect: 'read',
    ...more,
  };
}

export function finished(id: string, more: Record<string, unknown> = {}): Told {
  return { type: 'call_finished', tool_use_id: id, outcome: 'ok', is_error: false, duration_ms: 1, queued_ms: 0, ...more };
}

export function result(id: string, more: Record<string, unknown> = {}): Told {
  const block = { type: 'tool_result', tool_use_id: id, content: `done ${id}`, is_error: false };
  return { type: 'tool_result', index: 0, tool_use_id: id, name: 'Work', outcome: 'ok', result: block, view: { title: 'Work' }, ...more };
}

export function completed(calls: readonly { tool_use_id: string; outcome: string }[], more: Record<string, unknown> = {}): Told {
  return { type: 'turn_completed', messages: [], turn: { status: 'completed', stop: null, calls, duration_ms: 1 }, ...more };
}

export const begun: Told = { type: 'turn_started', format: 'anthropic' };
