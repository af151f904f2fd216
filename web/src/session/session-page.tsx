// One session: what waits for people first, then the part of it that a person has chosen, with the chosen call beside it.
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Asks } from '../asks/asks.tsx';
import { Inspector } from '../call/inspector.tsx';
import { client, hasKey } from '../connection.ts';
import { follow, place, selectCall, sessionPath, TABS, type Tab } from '../navigation.ts';
import { Checkpoints } from '../panels/checkpoints.tsx';
import { Composer } from '../panels/composer.tsx';
import { EventLog } from '../panels/event-log.tsx';
import { Files } from '../panels/files.tsx';
import { Settings } from '../panels/settings.tsx';
import { Tasks } from '../panels/tasks.tsx';
import { FaultNote } from '../parts/fault-note.tsx';
import { Timeline } from '../timeline/timeline.tsx';
import { followSession, type LiveSession } from './live-session.ts';
import { openSession } from './open-session.ts';
import { SessionHead } from './session-head.tsx';

const PANELS: Readonly<Record<Tab, (props: { session: LiveSession }) => preact.JSX.Element>> = {
  timeline: Timeline,
  run: Composer,
  files: Files,
  checkpoints: Checkpoints,
  tasks: Tasks,
  log: EventLog,
  settings: Settings,
};
const LABELS: Readonly<Record<Tab, string>> = {
  timeline: 'Timeline',
  run: 'Run',
  files: 'Files',
  checkpoints: 'Checkpoints',
  tasks: 'Tasks',
  log: 'Log',
  settings: 'Settings',
};

export function SessionPage({ id }: { id: string }) {
  // Another key is another person: nothing that was seen before is kept.
  const session = useMemo(() => followSession(id), [id, client.value]);
  useEffect(() => {
    openSession.value = session;
    return () => {
      session.close();
      openSession.value = null;
    };
  }, [session]);
  if (session.fault.value !== null && session.state.value === 'replaying') return <NoSession fault={session.fault} />;
  const { tab, call } = place.value;
  const inspected = tab === 'timeline' ? call : null;
  const Panel = PANELS[tab];
  return (
    <div class="session" data-inspecting={inspected !== null} onKeyDown={closeOnEscape}>
      <SessionHead session={session} />
      <FaultNote fault={session.fault} />
      <Tabs id={id} open={tab} />
      <Asks session={session} />
      <div class="session-body">
        <section class="panel" aria-label={LABELS[tab]} key={`${tab}${hasKey.value}`}>
          <Panel session={session} />
        </section>
        {inspected !== null && <Inspector session={session} callKey={inspected} />}
      </div>
    </div>
  );
}

/** In a field, Esc is the browser's. */
function closeOnEscape({ key, target }: KeyboardEvent): void {
  if (key === 'Escape' && !(target as Element).matches('input, textarea, select')) selectCall(null);
}

/** Nothing is known of it: there is nothing to show but why. */
function NoSession({ fault }: Pick<LiveSession, 'fault'>) {
  return (
    <div class="card">
      <FaultNote fault={fault} />
      <a href="/console" onClick={follow}>
        All sessions
      </a>
    </div>
  );
}

function Tabs({ id, open }: { id: string; open: Tab }) {
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => {
    tabs.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [open]);
  return (
    <nav ref={tabs} class="tabs" aria-label="Parts of the session">
      {TABS.map((tab) => (
        <a key={tab} href={sessionPath(id, tab, place.value.call)} aria-current={tab === open ? 'page' : undefined} onClick={follow}>
          {LABELS[tab]}
        </a>
      ))}
    </nav>
  );
}
