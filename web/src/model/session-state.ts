// How a session stands and what it is called, in the words that people read.
import { isOpen, type SessionModel } from './session-model.ts';

export type SessionState = 'waits for you' | 'running' | 'idle' | 'closed';

/** What waits for people comes first: nothing else goes on until they answer. */
export function stateOf({ approvals, clientCalls, turns }: SessionModel): SessionState {
  if (approvals.size + clientCalls.size > 0) return 'waits for you';
  return turns.some(isOpen) ? 'running' : 'idle';
}

/** What the client calls it, else its id. */
export function nameOf({ id, metadata }: { readonly id: string; readonly metadata: unknown }): string {
  const { name } = (metadata ?? {}) as { name?: unknown };
  return typeof name === 'string' && name.trim() !== '' ? name.slice(0, 80) : id;
}
