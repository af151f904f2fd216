import type { ToolUse } from '../contract/index.ts';
import { planTurn, type TurnPlan } from '../engine/plan-turn.ts';
import type { Session } from './session.ts';

/** What these calls would do in the session now; nothing of it is done. */
export function planMessage(session: Session, calls: readonly ToolUse[]): Promise<TurnPlan> {
  return planTurn(calls, session.guard.guards, { ...session.facts, state: session.state });
}
