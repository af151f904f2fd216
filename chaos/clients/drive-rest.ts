// A message run over REST: with a POST that waits for the end, or one that does not.
import { answerApproval, messageOf, type DrivenTurn } from './driven-turn.ts';
import type { TurnReply } from './session-client.ts';

/** Seconds for which a turn that runs is waited for at a time. */
const WAIT_S = 3;

/** Posts, and posts again whatever comes between, until the turn has ended. @throws Error when the run is over */
export async function drivePost(driven: DrivenTurn): Promise<void> {
  for (;;) {
    const reply = await post(driven);
    if (reply === undefined || finished(driven, reply)) return;
    await answerPending(driven, reply);
  }
}

/** Posts without waiting, then looks after the turn. @throws Error when the run is over */
export async function driveAsync(driven: DrivenTurn): Promise<void> {
  const { client } = driven;
  const begun = await post(driven, { prefer: 'respond-async' });
  if (begun === undefined) return;
  for (;;) {
    const path = `${client.path}/turns/${begun.turn.id}`;
    const { status, body } = await client.http.ask<TurnReply>({ method: 'GET', path, headers: { prefer: `wait=${WAIT_S}` } });
    if (status !== 200) return client.ledger.violate(client.plan.tag, `a turn that was accepted answers ${status}`, JSON.stringify(body));
    if (finished(driven, body)) return;
    await answerPending(driven, body);
  }
}

async function post({ client, plan }: DrivenTurn, headers = {}): Promise<TurnReply | undefined> {
  const sent = { method: 'POST', path: `${client.path}/messages`, body: messageOf(plan), headers } as const;
  const { status, body } = await client.http.ask<TurnReply>(sent);
  if (status === 200 || status === 202) return body;
  client.ledger.violate(client.plan.tag, `a message was answered with ${status}`, JSON.stringify(body));
  return undefined;
}

function finished(driven: DrivenTurn, { turn, messages }: TurnReply): boolean {
  if (turn.status !== 'completed' && turn.status !== 'aborted' && turn.status !== 'discarded') return false;
  for (const { tool_use_id: id } of turn.calls) driven.heard.add(id);
  driven.turnIds.add(turn.id);
  driven.endedTurns.add(turn.id);
  driven.reply = { turnId: turn.id, status: turn.status, messages };
  return true;
}

async function answerPending(driven: DrivenTurn, { pending = [], turn }: TurnReply): Promise<void> {
  if (turn.status !== 'requires_action') return;
  for (const approval of pending) await answerApproval(driven, approval);
}
