// The sessions of this key, newest first, asked for again now and then, less often while the page is out of sight.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { client, inWords } from '../connection.ts';
import type { SessionInfo as Session } from '../../../client/src/index.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { showTime } from '../model/durations.ts';
import { nameOf, stateOf, type SessionState } from '../model/session-state.ts';
import { follow, place, sessionPath } from '../navigation.ts';
import { StateTag } from '../parts/state-tag.tsx';
import { openSession } from '../session/open-session.ts';
import { askWhoWaits, waiting } from './waiting-elsewhere.ts';

const EVERY_MS = 5_000;
/** Out of sight the title still tells who waits: asked for one time in so many. */
const HIDDEN_EVERY = 6;
const PAGE = 50;

const sessions = signal<readonly Session[]>([]);
const nextCursor = signal<string | undefined>(undefined);
const fault = signal<string | null>(null);

/** @param more also those after the ones that are shown */
export async function loadSessions(more = false): Promise<void> {
  try {
    const limit = Math.min(200, Math.max(PAGE, more ? 0 : sessions.value.length));
    const page = await client.value.sessions.list({ limit, ...(more && nextCursor.value !== undefined && { cursor: nextCursor.value }) });
    sessions.value = more ? [...sessions.value, ...page.data] : page.data;
    nextCursor.value = page.next_cursor;
    fault.value = null;
    await askWhoWaits(sessions.value.filter(({ id }) => id !== openSession.value?.id));
  } catch (error) {
    fault.value = inWords(error);
  }
}

/** As the open session's page follows it; absent for the others. */
function liveState(id: string): SessionState | undefined {
  const session = openSession.value;
  const isLive = session?.id === id && session.version.value >= 0 && session.state.value === 'live' && session.fault.value === null;
  return isLive ? stateOf(session.model) : undefined;
}

export function SessionList() {
  const asked = client.value;
  useEffect(() => {
    void loadSessions();
    let times = 0;
    const timer = setInterval(() => {
      if (!document.hidden || times++ % HIDDEN_EVERY === 0) void loadSessions();
    }, EVERY_MS);
    return () => clearInterval(timer);
  }, [asked]);
  return (
    <>
      <div class="sidebar-head">
        <h2>Sessions</h2>
        <a class="button" href="/console/new" onClick={follow}>
          New
        </a>
      </div>
      <FaultNote fault={fault} />
      {sessions.value.length === 0 && fault.value === null && <p class="hint">None yet.</p>}
      <ul class="sessions">
        {sessions.value.map((session) => (
          <SessionItem key={session.id} session={session} />
        ))}
      </ul>
      {nextCursor.value !== undefined && (
        <button type="button" onClick={() => void loadSessions(true)}>
          Show more
        </button>
      )}
    </>
  );
}

function SessionItem({ session }: { session: Session }) {
  const { id, workspace, permissions, created_at: createdAt } = session;
  const isOpen = place.value.sessionId === id;
  const state = liveState(id) ?? (waiting.value.has(id) ? 'waits for you' : session.status);
  return (
    <li>
      <a class="session-item" href={sessionPath(id)} aria-current={isOpen ? 'page' : undefined} onClick={follow}>
        <span class="dot" data-status={state} aria-hidden="true" />
        <span class="session-name">{nameOf(session)}</span>
        {state === 'waits for you' ? <StateTag state={state} /> : <span class="session-status">{state}</span>}
        <span class="session-more">
          <span class="session-place">
            {permissions.mode} · {workspace.ephemeral ? 'own workspace' : workspace.path}
          </span>
          <span class="session-time">{showTime(createdAt)}</span>
        </span>
      </a>
    </li>
  );
}
