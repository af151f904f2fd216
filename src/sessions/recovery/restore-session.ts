// A session from the store, as it was kept: its settings judged again, its directories opened, its newest turn known.
import { frozenState, type SessionRow } from '../../contract/index.ts';
import { keptOf } from '../agents/child-settings.ts';
import type { EventLog } from '../log/event-log.ts';
import { placeOf } from '../place-for.ts';
import { Session } from '../session.ts';
import type { SessionParts } from '../session-parts.ts';
import type { SessionStart } from '../session-start.ts';

export interface Restoring {
  readonly parts: SessionParts;
  /** A session that is open in this process. */
  readonly open: (id: string) => Session | undefined;
  readonly start: (start: Omit<SessionStart, 'assertAccepting' | 'handOn'>) => SessionStart;
}

/** @throws Problem `forbidden` when what it was allowed is not allowed any more, `store-unavailable` */
export async function restoreSession(row: SessionRow, log: EventLog, { parts, open, start }: Restoring): Promise<Session> {
  const { store } = parts;
  const { children = [], tasks = [], ...was } = await keptOf(row, { store, open });
  const { settings, state, workspace, ephemeral, updatedAt, child } = was;
  // What the operator allowed then may not be allowed now.
  parts.guard(settings);
  const place = await placeOf({ id: row.id, parts, settings, child }, ephemeral ? undefined : workspace);
  const latest = await store.latestTurn(row.id);
  const calls = latest === null ? [] : await store.calls(row.id, latest.id);
  const newest = latest === null ? null : { id: latest.id, toolUseIds: calls.map(({ toolUseId }) => toolUseId) };
  const { id, owner, createdAt } = row;
  const turns = latest?.ordinal ?? 0;
  const kept = { settings, state: frozenState(state), tasks, child, children };
  const begun = start({ id, owner, createdAt, ...kept, place, log, turns, newest });
  const session = new Session(begun, parts);
  session.updatedAt = updatedAt;
  return session;
}
