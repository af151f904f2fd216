// Looks through the log: every word must occur somewhere in an event.
import type { LoggedEvent } from './wire.ts';

/** Characters of an event that are looked through. */
const SEARCHED_CHARS = 4_000;
const texts = new WeakMap<LoggedEvent, string>();

export function searchLog(log: readonly LoggedEvent[], query: string): readonly LoggedEvent[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return log;
  return log.filter((event) => {
    const text = textOf(event);
    return words.every((word) => text.includes(word));
  });
}

function textOf(event: LoggedEvent): string {
  let text = texts.get(event);
  if (text === undefined) {
    text = JSON.stringify(event).slice(0, SEARCHED_CHARS).toLowerCase();
    texts.set(event, text);
  }
  return text;
}

/** What an event is about, in one line. */
export function headline(event: LoggedEvent): string {
  switch (event.type) {
    case 'turn_started':
      return event.format;
    case 'approval_requested':
      return `${event.approval.name}: ${event.approval.reason}`;
    case 'approval_resolved':
      return `${event.behavior} by ${event.by}`;
    case 'call_finished':
      return `${event.tool_use_id} ${event.outcome}, ${event.duration_ms} ms`;
    case 'tool_result':
      return `${event.index + 1}. ${event.name} ${event.outcome}`;
    case 'context_changed':
      return Object.keys(event.changes).join(', ');
    case 'turn_completed':
    case 'turn_discarded':
      return `${event.turn.status}, ${event.turn.calls.length} calls, ${event.turn.duration_ms} ms`;
    case 'task_finished':
      return `${event.task.command ?? event.task.description ?? event.task.id} ${event.task.status}`;
    default:
      return `${event.name} ${event.tool_use_id}`;
  }
}
