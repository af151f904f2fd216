// The sessions of this key, newest first, asked for again now and then while the page is in sight.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { client, inWords } from '../connection.ts';
import type { SessionInfo as Session } from '../../../client/src/index.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { showTime } from '../model/durations.ts';
import { follow, place, sessionPath } from '../navigation.ts';

const EVERY_MS = 5_000;
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
  } catch (error) {
    fault.value = inWords(error);
  }
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
  const { id, status, workspace, permissions, created_at: createdAt } = session;
  const isOpen = place.value.sessionId === id;
  return (
    <li>
      <a class="session-item" href={sessionPath(id)} aria-current={isOpen ? 'page' : undefined} onClick={follow}>
        <span class="dot" data-status={status} aria-hidden="true" />
        <span class="session-name">{nameOf(session)}</span>
        <span class="session-status">{status}</span>
        <span class="session-more">
          {permissions.mode} · {workspace.ephemeral ? 'own workspace' : workspace.path} · {showTime(createdAt)}
        </span>
      </a>
    </li>
  );
}

/** What the client calls it, else its id. */
function nameOf({ id, metadata }: Session): string {
  const name = (metadata as Record<string, unknown>)['name'];
  return typeof name === 'string' && name !== '' ? name.slice(0, 80) : id;
}
