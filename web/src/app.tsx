// The frame of the console: sessions at the side, the one that is looked at in the middle, and how things are at the foot.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { forgetKey, hasKey, needsKey } from './connection.ts';
import { counted } from './model/count.ts';
import { follow, place, sessionPath } from './navigation.ts';
import { openName } from './session/open-session.ts';
import { SessionPage } from './session/session-page.tsx';
import { StatusLine } from './session/status-line.tsx';
import { KeyForm } from './start/key-form.tsx';
import { NewSession } from './start/new-session.tsx';
import { SessionList } from './start/session-list.tsx';
import { waitingElsewhere } from './start/waiting-elsewhere.ts';
import { Welcome } from './start/welcome.tsx';
import { isDark, switchTheme } from './theme.ts';

/** The session whose page is open. */
const titles = signal('toolexec console');

export function App() {
  const { page, sessionId } = place.value;
  const title = page === 'session' ? `${openName.value ?? sessionId} · toolexec` : 'toolexec console';
  titles.value = waitingElsewhere.value.length === 0 ? title : `(${waitingElsewhere.value.length}) ${title}`;
  useEffect(() => {
    document.title = titles.value;
  }, [titles.value]);
  return (
    <div class="app" data-page={needsKey.value ? 'key' : page}>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Top />
      {needsKey.value ? (
        <main id="main" class="main" tabIndex={-1}>
          <KeyForm />
        </main>
      ) : (
        <>
          <nav class="sidebar" aria-label="Sessions">
            <SessionList />
          </nav>
          <main id="main" class="main" tabIndex={-1}>
            {page === 'session' && <SessionPage key={sessionId} id={sessionId} />}
            {page === 'new' && <NewSession />}
            {page === 'home' && <Welcome />}
          </main>
        </>
      )}
      <StatusLine />
    </div>
  );
}

function Top() {
  return (
    <header class="top">
      <a class="brand" href="/console" onClick={follow}>
        <img src="/console/favicon.svg" alt="" width="20" height="20" />
        toolexec
      </a>
      <span class="grow" />
      {!needsKey.value && <WaitingElsewhere />}
      <a class="quiet" href="/docs">
        API
      </a>
      {hasKey.value && (
        <button type="button" class="quiet" onClick={forgetKey}>
          Forget key
        </button>
      )}
      <button type="button" class="quiet" aria-pressed={isDark.value} onClick={switchTheme}>
        Dark
      </button>
    </header>
  );
}

/** Leads to the sessions that wait for somebody and are not open, one after the other. */
function WaitingElsewhere() {
  const { length } = waitingElsewhere.value;
  const [first] = waitingElsewhere.value;
  return (
    <span class="elsewhere" role="status">
      {first !== undefined && (
        <a class="tag" data-tone="waiting" href={sessionPath(first)} onClick={follow}>
          <span aria-hidden="true">!</span> {counted(length, 'session')}{' '}
          <span class="elsewhere-words">{length === 1 ? 'waits' : 'wait'} for you</span>
        </a>
      )}
    </span>
  );
}
