// An agent's session goes by the settings of the session that wants it, as they are at every moment.
import { isDeepStrictEqual } from 'node:util';
import { frozenState, type SessionRow, type SessionState, type Store } from '../../contract/index.ts';
import type { KeptSession } from '../kept-session.ts';
import type { ParentNow } from '../session-start.ts';
import type { SessionSettings } from '../settings/session-options.ts';

/** Milliseconds that an agent's session is kept at least: between two of its turns lies an answer of the model. */
const LEAST_TTL_MS = 3_600_000;

/**
 * The settings of an agent's session under these of its parent: the same, but that the client runs no tools for it.
 * @param before absent: it is made now
 */
export function settingsWithin(parent: SessionSettings, before?: SessionSettings): SessionSettings {
  const { tools, ttl_ms } = parent;
  return {
    ...parent,
    tools: { ...tools, custom: tools.custom.filter((tool) => !('client' in tool)) },
    metadata: before?.metadata ?? {},
    ttl_ms: Math.max(ttl_ms, LEAST_TTL_MS),
  };
}

/** The state once the settings name this mode. An agent that only looks, whatever its session is in, stays at that. */
export function inMode(state: SessionState, mode: SessionState['mode'], isChild: boolean): SessionState {
  return isChild && state.mode === 'plan' ? state : frozenState({ ...state, mode, modeBefore: undefined });
}

interface Child extends Changed {
  readonly closed: boolean;
}

interface Changed {
  change(next: (before: SessionSettings) => SessionSettings, about: { readonly mode: boolean }): Promise<void>;
}

/** Has an agent's session go by these settings of its parent. @param setsMode also where only a call has made the mode another one */
export function follow(child: Changed, parent: SessionSettings, setsMode: boolean): Promise<void> {
  const next = (before: SessionSettings): SessionSettings => {
    const followed = settingsWithin(parent, before);
    return !setsMode && isDeepStrictEqual(followed, before) ? before : followed;
  };
  return child.change(next, { mode: setsMode });
}

interface Known {
  readonly store: Pick<Store, 'session'>;
  readonly open: (id: string) => { readonly settings: SessionSettings } | undefined;
}

/** What was kept of a session; an agent's follows what its parent has become meanwhile. @throws Problem `store-unavailable` */
export async function keptOf(row: SessionRow, { store, open }: Known): Promise<KeptSession> {
  const kept = read(row);
  if (kept.child === undefined) return kept;
  const { sessionId } = kept.child;
  const stored = open(sessionId) === undefined ? await store.session(sessionId) : null;
  const parent = open(sessionId) ?? (stored === null ? undefined : read(stored));
  return parent === undefined ? kept : keptWithin(parent.settings, kept);
}

function read({ document }: SessionRow): KeptSession {
  return JSON.parse(document) as KeptSession;
}

/** What was kept of an agent's session, under the settings that its parent has by now. */
export function keptWithin<Kept extends { readonly settings: SessionSettings; readonly state: SessionState }>(
  parent: SessionSettings,
  kept: Kept,
): Kept {
  const settings = settingsWithin(parent, kept.settings);
  const { mode } = settings.permissions;
  return { ...kept, settings, state: mode === kept.settings.permissions.mode ? kept.state : inMode(kept.state, mode, true) };
}

/** Hands what a session has become on to its agents' sessions; those that are not open hear of it when they are opened. */
export async function handOn(
  { settings, children, setsMode }: ParentNow,
  find: (id: string) => Promise<Child | null> | Child | undefined,
): Promise<void> {
  await Promise.all(
    children.map(async (id) => {
      const child = await find(id);
      if (child?.closed === false) await follow(child, settings, setsMode);
    }),
  );
}
