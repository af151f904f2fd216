// The one client of the page, with the key that a person gave, and what becomes of its requests.
import { batch, computed, signal } from '@preact/signals';
import { ToolexecClient, ToolexecProblem } from '../../client/src/index.ts';

/** Forgotten when the tab is closed. */
const KEY_NAME = 'toolexec.key';

const key = signal(sessionStorage.getItem(KEY_NAME) ?? '');
/** True once the service has asked for a key and got none, or a wrong one. */
export const needsKey = signal(false);
/** Why the key that was given is not used. */
export const keyFault = signal<string | null>(null);
export const hasKey = computed(() => key.value !== '');

/** Whether the newest socket stands. */
export const socketState = signal<'none' | 'open' | 'lost'>('none');
let sockets = 0;
const REFUSED = 'The service does not take this key.';

/** Tells the page how its socket is, since the client connects again by itself. */
class WatchedSocket extends WebSocket {
  readonly #number = ++sockets;

  constructor(url: string | URL, protocols?: string | string[]) {
    super(url, protocols);
    this.addEventListener('open', () => this.#tell('open'));
    this.addEventListener('close', ({ code }) => {
      if (code === 4401) askForKey();
      this.#tell('lost');
    });
  }

  #tell(state: 'open' | 'lost'): void {
    if (this.#number === sockets) socketState.value = state;
  }
}

/** Tries a request that fails a few times: a person waits for it. */
export const client = computed(() => clientOf(3, key.value));
/** Follows sessions, however long the service is away. */
export const watcher = computed(() => clientOf(Number.MAX_SAFE_INTEGER, key.value));

function clientOf(retries: number, given: string): ToolexecClient {
  return new ToolexecClient({ url: location.origin, retries, WebSocket: WatchedSocket, ...(given !== '' && { key: given }) });
}

/** Keeps a key that the service takes. @throws what the service says, where that is not about the key */
export async function useKey(text: string): Promise<void> {
  keyFault.value = null;
  try {
    await clientOf(3, text).sessions.list({ limit: 1 });
  } catch (error) {
    if (!isRefusal(error)) throw error;
    keyFault.value = REFUSED;
    return;
  }
  sessionStorage.setItem(KEY_NAME, text);
  batch(() => {
    key.value = text;
    needsKey.value = false;
  });
}

export function forgetKey(): void {
  sessionStorage.removeItem(KEY_NAME);
  batch(() => {
    key.value = '';
    needsKey.value = true;
  });
}

/** A key that was taken once and is not any more is dropped. */
function askForKey(): void {
  keyFault.value = key.value === '' ? keyFault.value : REFUSED;
  forgetKey();
}

function isRefusal(error: unknown): boolean {
  return error instanceof ToolexecProblem && error.status === 401;
}

/** A failure in words for a person; asks for a key where that is what is missing. */
export function inWords(error: unknown): string {
  if (error instanceof ToolexecProblem) {
    if (isRefusal(error)) askForKey();
    const faults = (error.errors ?? []).map(({ path, message }) => `${path}: ${message}`);
    return [error.detail || error.title, ...faults].join('\n');
  }
  return error instanceof Error ? error.message : String(error);
}
