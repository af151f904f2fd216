// In which sessions beside the open one somebody is waited for: an approval, a question, a call that the client is to run.
import { computed, signal } from '@preact/signals';
import { client } from '../connection.ts';
import type { SessionInfo as Session, Turn } from '../../../client/src/index.ts';
import { place } from '../navigation.ts';

/** Sessions that are asked at once: the others keep what was heard last, and come the next time. */
const ASKED_AT_ONCE = 8;
/** Turns of a session that may be open: one that runs, and those behind it. */
const OPEN_TURNS = 17;

/** Running sessions, by id: what was heard of them last, and in which round. */
const heard = new Map<string, { readonly waits: boolean; readonly round: number }>();
let round = 0;

/** Ids of the sessions that wait, as far as it is known. */
export const waiting = signal<ReadonlySet<string>>(new Set());
export const waitingElsewhere = computed(() => [...waiting.value].filter((id) => id !== place.value.sessionId));

/**
 * Asks those sessions that can have something to answer, the ones first that were not asked for longest.
 * @param others all that are listed but the open one, which tells by itself
 */
export async function askWhoWaits(others: readonly Session[]): Promise<void> {
  const running = others.filter(({ status }) => status === 'running').map(({ id }) => id);
  for (const id of heard.keys()) if (!running.includes(id)) heard.delete(id);
  const roundOf = (id: string): number => heard.get(id)?.round ?? -1;
  const asked = running.toSorted((a, b) => roundOf(a) - roundOf(b)).slice(0, ASKED_AT_ONCE);
  round++;
  await Promise.all(asked.map(async (id) => heard.set(id, { round, waits: await waits(id) })));
  waiting.value = new Set(running.filter((id) => heard.get(id)?.waits));
}

async function waits(id: string): Promise<boolean> {
  try {
    const { data } = await client.value.sessions.open(id).turns.list({ limit: OPEN_TURNS });
    return data.some(hasQuestion);
  } catch {
    // One that has ended meanwhile waits for nobody; a service that is away is told of by the list itself.
    return false;
  }
}

function hasQuestion({ calls }: Turn): boolean {
  return calls.some(({ waiting_for: waitsFor }) => waitsFor !== undefined);
}
