import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { pretty } from '../model/read-json.ts';
import type { Call } from '../model/session-model.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { useAction } from '../parts/use-action.ts';
import type { LiveSession } from '../session/live-session.ts';

/** A call of a tool that the session's client runs: another client may answer it, or a person here. */
export function ClientCallCard({ session, call }: { session: LiveSession; call: Call }) {
  const id = useId();
  const text = useSignal('');
  const action = useAction();
  const { turns } = session.remote;
  const answer = (isError: boolean): void =>
    action.run(() => turns.answer(call.turnId, call.id, { content: text.value, is_error: isError }));
  return (
    <article class="ask" aria-label={`${call.name} waits for its client`}>
      <h2>{call.name} waits for its client</h2>
      <pre tabIndex={0}>{pretty(call.input)}</pre>
      <label for={id}>Answer for it</label>
      <textarea id={id} rows={3} value={text.value} onInput={({ currentTarget }) => (text.value = currentTarget.value)} />
      <div class="actions">
        <button type="button" class="primary" disabled={action.busy.value} onClick={() => answer(false)}>
          Answer
        </button>
        <button type="button" disabled={action.busy.value} onClick={() => answer(true)}>
          Answer as an error
        </button>
      </div>
      <FaultNote fault={action.fault} />
    </article>
  );
}
