// The frame of the console: sessions at the side, the one that is looked at in the middle, and how things are at the foot.
import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { forgetKey, hasKey, needsKey } from './connection.ts';
import { follow, place } from './navigation.ts';
import { openName } from './session/open-session.ts';
import { SessionPage } from './session/session-page.tsx';
import { StatusLine } from './session/status-line.tsx';
import { KeyForm } from './start/key-form.tsx';
import { NewSession } from './start/new-session.tsx';
import { SessionList } from './start/session-list.tsx';
import { Welcome } from './start/welcome.tsx';
import { isDark, switchTheme } from './theme.ts';

/** The session whose page is open. */
const titles = signal('toolexec console');

export function App() {
  const { page, sessionId } = place.value;
  titles.value = page === 'session' ? `${openName.value ?? sessionId} · toolexec` : 'toolexec console';
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
