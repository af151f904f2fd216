// What a log says of each call, by id.
import type { LoggedEvent, Outcome } from '../../src/contract/index.ts';

export interface CallFacts {
  readonly turnId: string;
  /** How often it was begun. */
  starts: number;
  outcome?: Outcome;
  /** What its result says, as text. */
  text?: string;
}

export function callFacts(events: readonly LoggedEvent[]): Map<string, CallFacts> {
  const calls = new Map<string, CallFacts>();
  for (const event of events) {
    if (event.type === 'call_queued') calls.set(event.tool_use_id, { turnId: event.turn_id ?? '', starts: 0 });
    if (event.type !== 'call_started' && event.type !== 'tool_result') continue;
    const facts = calls.get(event.tool_use_id);
    if (facts === undefined) continue;
    if (event.type === 'call_started') facts.starts += 1;
    else Object.assign(facts, { outcome: event.outcome, text: textOf(event.result.content) });
  }
  return calls;
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}
