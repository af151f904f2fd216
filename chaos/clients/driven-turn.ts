// A message on its way to its end, as the client that drives it knows it.
import type { ApprovalSummary, LoggedEvent, OutgoingMessage } from '../../src/contract/index.ts';
import type { PlannedTurn } from '../plan/workload.ts';
import type { SessionClient } from './session-client.ts';

export interface DrivenTurn {
  readonly plan: PlannedTurn;
  readonly client: SessionClient;
  /** Milliseconds since 1970. */
  readonly beganAt: number;
  /** Ids of its calls that were heard of in the log. */
  readonly heard: Set<string>;
  /** Turns that its calls are in: more than one when the input of the first was lost. */
  readonly turnIds: Set<string>;
  /** Those of them that have ended. */
  readonly endedTurns: Set<string>;
  /** Whether somebody has interrupted it. */
  interrupted: boolean;
  /** What a reply gave for the conversation. */
  reply?: { readonly turnId: string; readonly status: string; readonly messages: readonly OutgoingMessage[] };
}

export function beginTurn(client: SessionClient, plan: PlannedTurn): DrivenTurn {
  return {
    plan,
    client,
    beganAt: Date.now(),
    heard: new Set(),
    turnIds: new Set(),
    endedTurns: new Set(),
    interrupted: false,
  };
}

/** Takes what an event says of the turn. Questions are left to the caller. */
export function hearEvent(driven: DrivenTurn, event: LoggedEvent): void {
  const { plan, heard, turnIds, endedTurns } = driven;
  if (event.type === 'call_queued' && plan.calls.some(({ id }) => id === event.tool_use_id)) {
    heard.add(event.tool_use_id);
    turnIds.add(event.turn_id ?? '');
  }
  const ends = event.type === 'turn_completed' || event.type === 'turn_discarded';
  if (ends && turnIds.has(event.turn.id)) endedTurns.add(event.turn.id);
}

/** Whether all turns have ended in which calls of it are. */
export function hasEnded({ turnIds, endedTurns }: DrivenTurn): boolean {
  return turnIds.size > 0 && endedTurns.size === turnIds.size;
}

/** Whether that, and every call of it has been taken. */
export function isDone(driven: DrivenTurn): boolean {
  return hasEnded(driven) && (driven.interrupted || driven.heard.size === driven.plan.calls.length);
}

/** The message as a model would have written it. */
export function messageOf({ calls }: PlannedTurn) {
  return { role: 'assistant', content: calls.map(({ id, name, input }) => ({ type: 'tool_use', id, name, input })) };
}

/** What people answer to a question. One of an earlier message, which somebody has interrupted, is denied. */
export function answerOf({ client, plan }: DrivenTurn, approval: ApprovalSummary): 'allow' | 'deny' {
  const call = plan.calls.find(({ id }) => id === approval.tool_use_id);
  if (call === undefined) return 'deny';
  if (call.answer === undefined)
    client.ledger.violate(client.plan.tag, 'a call was asked for that needs no answer', JSON.stringify(approval));
  return call.answer ?? 'deny';
}

/** Answers a question by REST. That somebody has answered it before is no matter. */
export async function answerApproval(driven: DrivenTurn, approval: ApprovalSummary): Promise<void> {
  const { client } = driven;
  const body = { behavior: answerOf(driven, approval) };
  const { status, body: answer } = await client.http.ask({ method: 'POST', path: `${client.path}/approvals/${approval.id}`, body });
  client.ledger.count('approvals answered');
  if (![200, 404, 409].includes(status)) {
    client.ledger.violate(client.plan.tag, `an approval was answered with ${status}`, JSON.stringify(answer));
  }
}
