import type { SessionState } from '../model/session-state.ts';

const TONES = { 'waits for you': 'waiting', running: 'running', idle: 'ok', closed: 'stopped' } as const;

/** How a session stands. */
export function StateTag({ state }: { state: SessionState }) {
  return (
    <span class="tag" data-tone={TONES[state]}>
      {state === 'waits for you' && <span aria-hidden="true">!</span>} {state}
    </span>
  );
}
