// Somebody who interrupts a turn while it runs, by REST.
import { setTimeout as wait } from 'node:timers/promises';
import type { TurnSummary } from '../../src/contract/index.ts';
import type { DrivenTurn } from './driven-turn.ts';

/** Does what the plan says, if the turn runs by then. @throws Error when the run is over */
export async function interrupt(driven: DrivenTurn, ended: AbortSignal): Promise<void> {
  const { client, plan } = driven;
  if (plan.interruption === undefined) return;
  const { kind, afterMs, callId } = plan.interruption;
  try {
    await wait(afterMs, undefined, { signal: ended });
  } catch {
    // It has ended before.
    return;
  }
  const { body } = await client.http.ask<{ data: readonly TurnSummary[] }>({ method: 'GET', path: `${client.path}/turns?limit=1` });
  const turn = body.data[0];
  if (turn === undefined || !turn.calls.some(({ tool_use_id: id }) => plan.calls.some((call) => call.id === id))) return;
  driven.interrupted ||= kind !== 'cancel';
  const what = kind === 'cancel' ? `calls/${callId}/cancel` : kind;
  const { status } = await client.http.ask({ method: 'POST', path: `${client.path}/turns/${turn.id}/${what}`, body: {} });
  if (status === 202) client.ledger.count(`interruptions: ${kind}`);
  else if (status !== 404) client.ledger.violate(client.plan.tag, `${kind} was answered with ${status}`);
}
