// All that the clients of some sessions do: turn after turn, until the run has had enough.
import { setTimeout as wait } from 'node:timers/promises';
import { planSession, planTurn, type Way } from '../plan/workload.ts';
import { driveAsync, drivePost } from './drive-rest.ts';
import { driveSocket } from './drive-socket.ts';
import { beginTurn, type DrivenTurn } from './driven-turn.ts';
import { driveSse, followSession } from './follow.ts';
import type { Http } from './http.ts';
import { interrupt } from './interrupt.ts';
import { createSession, type SessionClient } from './session-client.ts';

const FAILED_PAUSE_MS = 1_000;

const DRIVERS: Record<Way, (driven: DrivenTurn) => Promise<void>> = {
  post: drivePost,
  async: driveAsync,
  sse: driveSse,
  'socket-message': (driven) => driveSocket(driven, 'message'),
  'socket-calls': (driven) => driveSocket(driven, 'calls'),
};

export interface Crowd {
  /** Turns at once. */
  readonly active: number;
  readonly sessions: readonly SessionClient[];
  readonly turns: readonly DrivenTurn[];
  /** Those that have not come to their end. */
  readonly open: ReadonlySet<DrivenTurn>;
  /** Begins nothing new, and waits for what is open. */
  finish(): Promise<void>;
}

export interface CrowdOptions {
  readonly seed: number;
  readonly sessions: number;
  /** Turns at once. */
  readonly active: number;
  readonly http: Http;
  readonly run: string;
  readonly endedCalls: Map<string, number>;
}

/** Clients that take turns: each works for its share of the sessions, one message after another. */
export function gatherCrowd(options: CrowdOptions): Crowd {
  const { sessions: count, active, http } = options;
  const sessions: SessionClient[] = [];
  const turns: DrivenTurn[] = [];
  const open = new Set<DrivenTurn>();
  const left = new AbortController();
  const enough = new AbortController();
  const finishing = enough.signal;

  /** The first turns of its sessions are run in any case. */
  async function work(share: readonly number[]): Promise<void> {
    const mine: SessionClient[] = [];
    for (const index of share) {
      const client = await makeClient(options, index);
      if (client === undefined) continue;
      mine.push(client);
      sessions.push(client);
      if (client.plan.followed) void followSession(client, AbortSignal.any([http.signal, left.signal]));
      await runTurn(client, 0);
    }
    for (let turn = 1; mine.length > 0; turn += 1) {
      for (const client of mine) {
        if (finishing.aborted || http.signal.aborted) return;
        await runTurn(client, turn);
      }
    }
  }

  async function runTurn(client: SessionClient, index: number): Promise<void> {
    const driven = beginTurn(client, planTurn(options.seed, client.plan, index));
    turns.push(driven);
    open.add(driven);
    await drive(driven);
    open.delete(driven);
  }

  const workers = Array.from({ length: Math.min(active, count) }, (_, worker) =>
    work(Array.from({ length: count }, (__, index) => index).filter((index) => index % active === worker)),
  );
  return {
    active: workers.length,
    sessions,
    turns,
    open,
    async finish() {
      enough.abort();
      await Promise.all(workers);
      left.abort();
    },
  };
}

async function makeClient({ seed, http, run, endedCalls }: CrowdOptions, index: number): Promise<SessionClient | undefined> {
  const plan = planSession(seed, index);
  try {
    return await createSession({ plan, http, run, endedCalls });
  } catch (error) {
    if (!http.signal.aborted) http.ledger.violate(plan.tag, 'the session could not be made', String(error));
    return undefined;
  }
}

/** Never throws: whatever goes wrong is a violation, but for the end of the run. */
async function drive(driven: DrivenTurn): Promise<void> {
  const { client, plan } = driven;
  const ended = new AbortController();
  const fault = async (error: unknown): Promise<void> => {
    if (client.http.signal.aborted || ended.signal.aborted) return;
    client.ledger.violate(client.plan.tag, `turn ${plan.index} (${plan.way}) could not be brought to its end`, String(error));
    // What fails at once must not fail thousands of times.
    await wait(FAILED_PAUSE_MS);
  };
  const interruption = interrupt(driven, ended.signal).catch(fault);
  try {
    await DRIVERS[plan.way](driven);
  } catch (error) {
    await fault(error);
  } finally {
    ended.abort();
    await interruption;
  }
}
