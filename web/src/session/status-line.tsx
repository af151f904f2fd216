// The foot of the page: whether what is shown is what is.
import { socketState } from '../connection.ts';
import { openSession } from './open-session.ts';

export function StatusLine() {
  const { sign, text, detail } = describe();
  return (
    <footer class="status" data-state={sign}>
      <span class="dot" data-status={sign} aria-hidden="true" />
      <span role="status">{text}</span>
      <span class="status-detail">{detail}</span>
    </footer>
  );
}

function describe(): { sign: 'idle' | 'running' | 'lost'; text: string; detail: string } {
  const session = openSession.value;
  if (session === null) return { sign: 'idle', text: 'No session open.', detail: '' };
  if (session.fault.value !== null) return { sign: 'lost', text: 'Not followed any more.', detail: '' };
  if (socketState.value === 'lost') return { sign: 'lost', text: 'Connection lost: connecting again…', detail: '' };
  const replaying = session.state.value === 'replaying' || socketState.value === 'none';
  const seq = session.version.value >= 0 ? session.model.lastSeq : 0;
  const missing = session.model.missing > 0 ? `, ${session.model.missing.toLocaleString()} older ones not shown` : '';
  const detail = `event ${seq.toLocaleString()}${missing}`;
  return replaying ? { sign: 'idle', text: 'Catching up…', detail } : { sign: 'running', text: 'Live.', detail };
}
