// Where in the console a person is, as the address says: `/console`, `/console/new`, `/console/sessions/<id>/<tab>?call=…`.
import { signal } from '@preact/signals';

export const TABS = ['timeline', 'run', 'files', 'checkpoints', 'tasks', 'log', 'settings'] as const;
export type Tab = (typeof TABS)[number];

export interface Place {
  readonly page: 'home' | 'new' | 'session';
  readonly sessionId: string;
  readonly tab: Tab;
  /** `turn/call` of the call that is looked at. */
  readonly call: string | null;
}

export const place = signal(readPlace(location));
addEventListener('popstate', () => (place.value = readPlace(location)));

function readPlace({ pathname, search }: Pick<Location, 'pathname' | 'search'>): Place {
  const [, , page = '', id = '', tab = ''] = pathname.split('/');
  const known = TABS.find((name) => name === tab) ?? 'timeline';
  const call = new URLSearchParams(search).get('call');
  const sessionId = page === 'sessions' ? decoded(id) : '';
  if (sessionId !== '') return { page: 'session', sessionId, tab: known, call };
  return { page: page === 'new' ? 'new' : 'home', sessionId: '', tab: 'timeline', call: null };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // An address that somebody has written by hand: it names no session.
    return '';
  }
}

export function sessionPath(sessionId: string, tab: Tab = 'timeline', call: string | null = null): string {
  const path = `/console/sessions/${encodeURIComponent(sessionId)}${tab === 'timeline' ? '' : `/${tab}`}`;
  return call === null ? path : `${path}?call=${encodeURIComponent(call)}`;
}

/** @param how `replace` for what is not worth a step back */
export function goTo(path: string, how: 'push' | 'replace' = 'push'): void {
  place.value = readPlace(new URL(path, location.origin));
  try {
    if (how === 'push') history.pushState(null, '', path);
    else history.replaceState(null, '', path);
  } catch {
    // Browsers refuse many changes of the address in a short time: the page is where it should be all the same.
  }
}

/** Shows a call beside what is there; `null` closes it. */
export function selectCall(call: string | null): void {
  const { sessionId, tab } = place.value;
  goTo(sessionPath(sessionId, tab, call), 'replace');
}

/** For links: follows them in the page, unless the person wants a new tab. */
export function follow(event: MouseEvent): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  const link = (event.currentTarget as Element | null)?.getAttribute('href');
  if (link === null || link === undefined) return;
  event.preventDefault();
  goTo(link);
}
