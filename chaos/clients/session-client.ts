// A session as its clients know it: made once, whatever happens on the way.
import { setTimeout as wait } from 'node:timers/promises';
import type { ApprovalSummary, LoggedEvent, OutgoingMessage, TurnSummary } from '../../src/contract/index.ts';
import type { Ledger } from '../ledger.ts';
import { ASK_RULE, seedFiles } from '../plan/calls.ts';
import type { PlannedSession } from '../plan/workload.ts';
import type { Http } from './http.ts';

export interface SessionClient {
  readonly plan: PlannedSession;
  readonly id: string;
  /** Of its resource. */
  readonly path: string;
  readonly workspace: string;
  readonly http: Http;
  readonly ledger: Ledger;
  /** Events that any client has got, by number. */
  readonly seen: Map<number, LoggedEvent>;
  /** When a call was first heard to have ended, by id, for all sessions: milliseconds of the monotonic clock. */
  readonly endedCalls: Map<string, number>;
}

export interface TurnReply {
  readonly messages: readonly OutgoingMessage[];
  readonly turn: TurnSummary;
  readonly pending?: readonly ({ readonly type: string } & ApprovalSummary)[];
}

interface Made {
  readonly id: string;
  readonly workspace: { readonly path: string };
}

export interface NewClient {
  readonly plan: PlannedSession;
  readonly http: Http;
  /** Name of the run: stands in the environment of every command. */
  readonly run: string;
  readonly endedCalls: Map<string, number>;
}

export const RUN_VARIABLE = 'CHAOS_RUN';

/** @throws Error when it cannot be made */
export async function createSession({ plan, http, run, endedCalls }: NewClient): Promise<SessionClient> {
  const { status, body } = await http.ask<Made>({
    method: 'POST',
    path: '/v1/sessions',
    headers: { 'idempotency-key': `${run}.${plan.tag}` },
    body: {
      permissions: { mode: 'bypassPermissions', ask: [ASK_RULE] },
      env: { [RUN_VARIABLE]: run },
      metadata: { tag: plan.tag },
    },
  });
  if (status !== 201) throw new Error(`The session was not made: ${status} ${JSON.stringify(body)}`);
  const path = `/v1/sessions/${body.id}`;
  for (const [name, text] of Object.entries(seedFiles(plan.tag))) await putFile(http, `${path}/files/${name}`, text);
  return { plan, id: body.id, path, workspace: body.workspace.path, http, ledger: http.ledger, seen: new Map(), endedCalls };
}

const FULL_PAUSE_MS = 500;
const FULL_TRIES = 60;

/** @throws Error when it is not kept, also after the disk has had time to get room again */
async function putFile(http: Http, path: string, body: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const { status, body: answer } = await http.ask({ method: 'PUT', path, body });
    if (status < 300) return;
    if (status !== 413 || tries === FULL_TRIES) throw new Error(`${path} was not kept: ${status} ${JSON.stringify(answer)}`);
    await wait(FULL_PAUSE_MS, undefined, { signal: http.signal });
  }
}
