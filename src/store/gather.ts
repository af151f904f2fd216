// Commits of a session follow one another, and each has a price: a write to the disk, or a way to Redis and back. Those that wait
// for the one before them go as one, so that a turn waits no longer than for one that is on its way and one more.
import { setImmediate } from 'node:timers/promises';
import { StaleEpochError, type Commit, type InSequence } from '../contract/index.ts';
import { isOutage } from './outages.ts';

/** Rows, and characters of events, that may go as one: what is large may as well go by itself. */
const [MOST_ROWS, MOST_CHARS] = [500, 1_000_000];

interface Part {
  readonly commit: Commit;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** What waits: the parts, and all of them as one. */
interface Group {
  whole: Commit;
  readonly parts: Part[];
}

export interface Gathering {
  /** @throws as `write` */
  commit(commit: Commit): Promise<void>;
  /** Carries something else out, after all commits of the session that were asked for before and before any that comes later. */
  between<T>(sessionId: string, work: () => Promise<T>): Promise<T>;
}

/** @param write carries out one commit */
export function gathering(ordered: InSequence, write: (commit: Commit) => Promise<void>): Gathering {
  /** Of each session the last in line, as long as it waits. */
  const waiting = new Map<string, Group>();

  async function begin(sessionId: string, group: Group): Promise<void> {
    // A turn that is quick asks for all of its steps in the moment in which it begins or ends.
    if (group.whole.turn !== undefined) await setImmediate();
    if (waiting.get(sessionId) === group) waiting.delete(sessionId);
    return writeParts(group, write);
  }

  return {
    commit(commit) {
      const { sessionId } = commit;
      const { promise, ...settle } = Promise.withResolvers<void>();
      const part: Part = { commit, ...settle };
      const last = waiting.get(sessionId);
      const whole = last && joined(last.whole, commit);
      if (last !== undefined && whole !== undefined) {
        last.whole = whole;
        last.parts.push(part);
      } else {
        const group: Group = { whole: commit, parts: [part] };
        waiting.set(sessionId, group);
        void ordered(sessionId, () => begin(sessionId, group));
      }
      return promise;
    },
    between(sessionId, work) {
      waiting.delete(sessionId);
      return ordered(sessionId, work);
    },
  };
}

/** Never rejects: each part is told by itself. */
async function writeParts({ whole, parts }: Group, write: (commit: Commit) => Promise<void>): Promise<void> {
  try {
    await write(whole);
    for (const part of parts) part.resolve();
  } catch (error) {
    if (parts.length === 1 || isOutage(error) || error instanceof StaleEpochError) {
      for (const part of parts) part.reject(error);
      return;
    }
    // One of them cannot be written, which must cost the others nothing.
    for (const { commit, resolve, reject } of parts) await write(commit).then(resolve, reject);
  }
}

/** Two commits as one; `undefined` for those that cannot be. */
function joined(first: Commit, second: Commit): Commit | undefined {
  const { epoch, until, turn } = second;
  if (first.epoch !== epoch || first.until !== until) return undefined;
  if (first.turn !== undefined && turn !== undefined && first.turn.id !== turn.id) return undefined;
  const events = [...(first.events ?? []), ...(second.events ?? [])];
  const calls = [...(first.calls ?? []), ...(second.calls ?? [])];
  const chars = events.reduce((sum, { json }) => sum + json.length, 0);
  if (events.length + calls.length > MOST_ROWS || chars > MOST_CHARS) return undefined;
  return { ...first, ...second, ...(events.length > 0 && { events }), ...(calls.length > 0 && { calls }) };
}
