import type { ToolUse } from '../../contract/index.ts';
import { planTurn, type TurnPlan } from '../../engine/plan-turn.ts';
import type { Session } from '../session.ts';

/** What these calls would do in the session now; nothing of it is done. Tools that were not loaded yet count as loaded. */
export async function planMessage(session: Session, calls: readonly ToolUse[], signal: AbortSignal): Promise<TurnPlan> {
  await Promise.all([...new Set(calls.map(({ name }) => name))].map((name) => session.toolbox.ready(name, signal)));
  const { guards } = session.guard;
  const { unsentHint: _hint, ...catalog } = guards.catalog;
  const { schedule } = session.settings.execution;
  return planTurn(calls, { ...guards, catalog, schedule }, { ...session.facts, state: session.state });
}
