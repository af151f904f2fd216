// Reads all that is left of a session when the faults are over, and holds it against what its clients have heard.
import { isDeepStrictEqual } from 'node:util';
import type { LoggedEvent, TurnSummary } from '../../src/contract/index.ts';
import type { DrivenTurn } from '../clients/driven-turn.ts';
import type { SessionClient } from '../clients/session-client.ts';
import { callFacts, type CallFacts } from './call-facts.ts';
import { faultsOfTraces, readTraces } from './effects.ts';
import { blocksOf, faultsOfLog } from './log.ts';
import { faultsOfResults, unplannedError } from './results.ts';
import type { Settling } from './settling.ts';

const OPEN = ['queued', 'running', 'requires_action'];

export interface CheckedSession {
  readonly events: readonly LoggedEvent[];
  /** When its turns ended. */
  readonly settling: readonly Settling[];
}

/** Counts what was done and notes what is wrong. @throws Error when the session cannot be read */
export async function checkSession(client: SessionClient, turns: readonly DrivenTurn[]): Promise<CheckedSession> {
  const { ledger, plan } = client;
  const events = await readLog(client);
  const facts = callFacts(events);
  const calls = turns.flatMap((turn) => turn.plan.calls);
  const faults = [
    ...faultsOfLog(events),
    ...faultsOfSeen(client, events),
    ...turns.flatMap((turn) => faultsOfTurn(turn, { events, facts })),
    ...faultsOfTraces({ tag: plan.tag, calls, facts, ...(await readTraces(client.workspace)) }),
    ...faultsOfResults(plan.tag, calls, facts),
    ...(await openTurns(client)),
  ];
  for (const fault of faults) ledger.violate(plan.tag, fault);
  for (const call of calls) count(client, call, facts.get(call.id));
  return { events, settling: turns.flatMap((turn) => settlingOf(turn, events)) };
}

function count({ ledger }: SessionClient, call: DrivenTurn['plan']['calls'][number], facts: CallFacts | undefined): void {
  if (facts?.outcome === undefined) return;
  ledger.count('calls');
  ledger.count(`outcome ${facts.outcome}`);
  if (facts.starts > 1) ledger.count('calls begun again');
  const error = unplannedError(call, facts);
  if (error !== undefined) ledger.count(`error ${error}`);
}

async function readLog({ http, path }: SessionClient): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  for (;;) {
    const { status, body } = await http.ask<{ data: LoggedEvent[]; last_seq: number }>({
      method: 'GET',
      path: `${path}/events?follow=false&after=${events.at(-1)?.seq ?? 0}`,
      headers: { accept: 'application/json' },
    });
    if (status !== 200) throw new Error(`The log answers ${status}: ${JSON.stringify(body)}`);
    events.push(...body.data);
    if (body.data.length === 0 || events.at(-1)?.seq === body.last_seq) return events;
  }
}

function faultsOfSeen({ seen }: SessionClient, events: readonly LoggedEvent[]): string[] {
  const kept = new Map(events.map((event) => [event.seq, event]));
  const changed = [...seen.values()].filter((event) => !isDeepStrictEqual(kept.get(event.seq), event));
  return changed
    .slice(0, 3)
    .map((event) => `a client got ${JSON.stringify(event)}, and the log has ${JSON.stringify(kept.get(event.seq) ?? null)}`);
}

interface Log {
  readonly events: readonly LoggedEvent[];
  readonly facts: ReadonlyMap<string, CallFacts>;
}

function faultsOfTurn({ plan, heard, interrupted, reply }: DrivenTurn, { events, facts }: Log): string[] {
  const lost = plan.calls.filter(({ id }) => !facts.has(id) && (heard.has(id) || !interrupted));
  const faults = lost.map(({ id }) => `the call ${id} of turn ${plan.index} (${plan.way}) is not in the log`);
  if (reply === undefined) return faults;
  const end = events.findLast((event) => event.turn_id === reply.turnId);
  const kept = end?.type === 'turn_completed' ? end.messages : [];
  const told = `turn ${plan.index} (${plan.way}) was told to be ${reply.status}`;
  if (end?.type !== 'turn_completed' && end?.type !== 'turn_discarded') faults.push(`${told}, and its last event is ${end?.type}`);
  else if (end.turn.status !== reply.status) faults.push(`${told}, and the log says ${end.turn.status}`);
  else if (!isDeepStrictEqual(blocksOf(reply.messages), blocksOf(kept))) {
    faults.push(`${told} with ${JSON.stringify(reply.messages)}, and the log has ${JSON.stringify(kept)}`);
  }
  return faults;
}

async function openTurns({ http, path }: SessionClient): Promise<string[]> {
  const { body } = await http.ask<{ data: readonly TurnSummary[] }>({ method: 'GET', path: `${path}/turns?limit=100` });
  return body.data.filter(({ status }) => OPEN.includes(status)).map(({ id, status }) => `${id} is ${status} when all is over`);
}

function settlingOf({ plan, beganAt }: DrivenTurn, events: readonly LoggedEvent[]): Settling[] {
  const ids = new Set(plan.calls.map(({ id }) => id));
  const turnIds = new Set(events.flatMap((event) => (event.type === 'call_queued' && ids.has(event.tool_use_id) ? [event.turn_id] : [])));
  const ends = events.filter(({ type, turn_id: id }) => (type === 'turn_completed' || type === 'turn_discarded') && turnIds.has(id));
  const last = ends.at(-1);
  return last === undefined ? [] : [{ beganAt, endedAt: Date.parse(last.time), workMs: plan.workMs }];
}
