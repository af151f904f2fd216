// The sessions of this key, newest first, asked for again now and then while the page is in sight.
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

const EVERY_MS = 5_000;
const PAGE = 50;

const sessions = signal<readonly Session[]>([]);
const nextCursor = signal<string | undefined>(undefined);
const fault = signal<string | null>(null);

/** Of these sessions it is asked whether somebody has to answer. */
const MOST_ASKED = 8;
const waiting = signal<ReadonlySet<string>>(new Set());

/** @param more also those after the ones that are shown */
export async function loadSessions(more = false): Promise<void> {
  try {
    const limit = Math.min(200, Math.max(PAGE, more ? 0 : sessions.value.length));
    const page = await client.value.sessions.list({ limit, ...(more && nextCursor.value !== undefined && { cursor: nextCursor.value }) });
    sessions.value = more ? [...sessions.value, ...page.data] : page.data;
    nextCursor.value = page.next_cursor;
    waiting.value = await waitingAmong(page.data);
    fault.value = null;
  } catch (error) {
    fault.value = inWords(error);
  }
}

/** Sessions with open approvals: only one that runs can have any, and the one whose page is open tells by itself. */
async function waitingAmong(listed: readonly Session[]): Promise<ReadonlySet<string>> {
  const asked = listed.filter(({ id, status }) => status === 'running' && id !== openSession.value?.id).slice(0, MOST_ASKED);
  const lists = await Promise.allSettled(asked.map(({ id }) => client.value.sessions.open(id).approvals.list()));
  // One that has ended meanwhile waits for nobody.
  const waits = lists.map((list) => list.status === 'fulfilled' && list.value.length > 0);
  return new Set(asked.filter((_, index) => waits[index]).map(({ id }) => id));
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
    const timer = setInterval(() => {
      if (!document.hidden) void loadSessions();
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
