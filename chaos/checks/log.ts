// What holds for every log: dense numbers, and for each call that was taken exactly one result, in the order of the calls.
import { isDeepStrictEqual } from 'node:util';
import type { LoggedEvent, OutgoingMessage } from '../../src/contract/index.ts';

/** @returns what is wrong, a sentence each */
export function faultsOfLog(events: readonly LoggedEvent[]): string[] {
  const gaps = events.flatMap(({ seq }, index) => (seq === index + 1 ? [] : [`event ${index + 1} of the log has the number ${seq}`]));
  const byTurn = Map.groupBy(
    events.filter(({ turn_id: id }) => id !== undefined),
    ({ turn_id: id }) => id as string,
  );
  return [
    ...gaps.slice(0, 3),
    ...idsTwice(events),
    ...[...byTurn].flatMap(([id, own]) => faultsOfTurn(own).map((fault) => `${id}: ${fault}`)),
  ];
}

function idsTwice(events: readonly LoggedEvent[]): string[] {
  const queued = events.flatMap((event) => (event.type === 'call_queued' ? [event.tool_use_id] : []));
  const twice = queued.filter((id, index) => queued.indexOf(id) !== index);
  return twice.map((id) => `the call ${id} was taken twice`);
}

function faultsOfTurn(events: readonly LoggedEvent[]): string[] {
  const ofType = <Type extends LoggedEvent['type']>(type: Type) =>
    events.filter((event): event is Extract<LoggedEvent, { type: Type }> => event.type === type);
  const queued = ofType('call_queued').map(({ tool_use_id: id }) => id);
  const results = ofType('tool_result');
  const ends = [...ofType('turn_completed'), ...ofType('turn_discarded')];
  const [end] = ends;
  const faults: string[] = [];
  if (ofType('turn_started').length !== 1 || events[0]?.type !== 'turn_started') faults.push('it does not begin with one turn_started');
  if (ends.length !== 1 || events.at(-1) !== end) faults.push(`it has ${ends.length} ends, and its last event is ${events.at(-1)?.type}`);
  const given = results.map(({ tool_use_id: id }) => id);
  const expected = end?.type === 'turn_discarded' ? queued.slice(0, given.length) : queued;
  if (!isDeepStrictEqual(given, expected)) faults.push(`calls ${queued.join(' ')} have the results ${given.join(' ')}`);
  if (end?.type === 'turn_completed') {
    const blocks = results.map(({ result }) => result);
    if (!isDeepStrictEqual(blocksOf(end.messages), blocks)) faults.push('its messages are not its results in the order of the calls');
  }
  return faults;
}

/** The results in a reply of the Anthropic format. */
export function blocksOf(messages: readonly OutgoingMessage[]): unknown[] {
  return messages.flatMap<unknown>((message) => ('content' in message && Array.isArray(message.content) ? message.content : []));
}
