// The one client of the page, with the key that a person gave, and what becomes of its requests.
import { computed, signal } from '@preact/signals';
import { ToolexecClient, ToolexecProblem } from '../../client/src/index.ts';

/** Forgotten when the tab is closed. */
const KEY_NAME = 'toolexec.key';

const key = signal(sessionStorage.getItem(KEY_NAME) ?? '');
/** True once the service has asked for a key and got none, or a wrong one. */
export const needsKey = signal(false);
export const hasKey = computed(() => key.value !== '');

/** Whether the newest socket stands. */
export const socketState = signal<'none' | 'open' | 'lost'>('none');
let sockets = 0;

/** Tells the page how its socket is, since the client connects again by itself. */
class WatchedSocket extends WebSocket {
  readonly #number = ++sockets;

  constructor(url: string | URL, protocols?: string | string[]) {
    super(url, protocols);
    this.addEventListener('open', () => this.#tell('open'));
    this.addEventListener('close', ({ code }) => {
      if (code === 4401) needsKey.value = true;
      this.#tell('lost');
    });
  }

  #tell(state: 'open' | 'lost'): void {
    if (this.#number === sockets) socketState.value = state;
  }
}

/** Tries a request that fails a few times: a person waits for it. */
export const client = computed(() => clientOf(3));
/** Follows sessions, however long the service is away. */
export const watcher = computed(() => clientOf(Number.MAX_SAFE_INTEGER));

function clientOf(retries: number): ToolexecClient {
  return new ToolexecClient({ url: location.origin, retries, WebSocket: WatchedSocket, ...(key.value !== '' && { key: key.value }) });
}

export function useKey(text: string): void {
  if (text === '') sessionStorage.removeItem(KEY_NAME);
  else sessionStorage.setItem(KEY_NAME, text);
  key.value = text;
  needsKey.value = false;
}

/** A failure in words for a person; asks for a key where that is what is missing. */
export function inWords(error: unknown): string {
  if (error instanceof ToolexecProblem) {
    if (error.status === 401) needsKey.value = true;
    const faults = (error.errors ?? []).map(({ path, message }) => `${path}: ${message}`);
    return [error.detail || error.title, ...faults].join('\n');
  }
  if (error instanceof TypeError) return `The service cannot be reached: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}
