import type { EventRow } from '../contract/index.ts';

/** Characters after which a group of lines ends: reading the last events of a log must not mean reading it all. */
const GROUP_CHARS = 64_000;

/** Events that follow one another, a line of JSON each. */
export interface EventLines {
  readonly first: number;
  readonly count: number;
  readonly text: string;
}

/** Events as they are kept: those of one commit together, since each group costs as much as four of its events. */
export function eventLines(events: readonly EventRow[]): EventLines[] {
  const groups: { first: number; count: number; text: string }[] = [];
  for (const { seq, json } of events) {
    const group = groups.at(-1);
    if (group === undefined || group.text.length + json.length > GROUP_CHARS) groups.push({ first: seq, count: 1, text: json });
    else {
      group.count += 1;
      group.text += `\n${json}`;
    }
  }
  return groups;
}
