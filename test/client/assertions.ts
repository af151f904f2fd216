import assert from 'node:assert/strict';
import type { OutgoingMessage, Session, ToolexecEvent } from '../../client/src/index.ts';
import type { StreamedCall } from './model-events.ts';

/** The events are those of the log from its beginning on: each once, in order, and none left out. */
export function assertInOrder(events: readonly ToolexecEvent[]): void {
  const told = events.flatMap((event) => ('seq' in event ? [event.seq] : []));
  assert.deepEqual(
    told,
    told.map((_, index) => index + 1),
  );
}

/** Each call ran once, in the order of the message. */
export async function assertEachOnce(session: Session, calls: readonly StreamedCall[], events: readonly ToolexecEvent[]): Promise<void> {
  const log = await (await session.files.get('log')).text();
  assert.equal(log, calls.map((_, index) => `line ${index}\n`).join(''));
  const results = events.flatMap((event) => (event.type === 'tool_result' ? [event.tool_use_id] : []));
  assert.deepEqual(
    results,
    calls.map(({ id }) => id),
  );
}

/** Ids of the calls that messages answer, whatever their format. */
export function resultIds(messages: readonly OutgoingMessage[]): string[] {
  return messages.flatMap((message) => {
    if ('call_id' in message) return [message.call_id];
    if ('tool_call_id' in message) return [message.tool_call_id];
    return message.content.flatMap((part) => (part.type === 'tool_result' ? [part.tool_use_id] : []));
  });
}

export async function collect(events: AsyncIterable<ToolexecEvent>): Promise<ToolexecEvent[]> {
  const all: ToolexecEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}
