import { useSignal } from '@preact/signals';
import type { Call } from '../model/session-model.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { useAction } from '../parts/use-action.ts';
import type { LiveSession } from '../session/live-session.ts';

/** What a person may do about the call as it stands. */
export function CallActions({ session, call }: { session: LiveSession; call: Call }) {
  const action = useAction();
  const { turns } = session.remote;
  // The call is changed in place.
  void session.version.value;
  const { turnId, id, outcome, startedAt } = call;
  return (
    <>
      {outcome === undefined && (
        <div class="actions">
          <button type="button" class="danger" disabled={action.busy.value} onClick={() => action.run(() => turns.cancel(turnId, id))}>
            Cancel this call
          </button>
          {startedAt !== undefined && (
            <button type="button" disabled={action.busy.value} onClick={() => action.run(() => turns.background(turnId, id))}>
              Move to background
            </button>
          )}
        </div>
      )}
      {outcome === 'outcome_unknown' && <Settle session={session} call={call} />}
      <FaultNote fault={action.fault} />
    </>
  );
}

const CHOICES = [
  { as: 'ok', label: 'It has taken effect' },
  { as: 'error', label: 'It has not' },
  { as: 'retry', label: 'Run it again' },
] as const;

function Settle({ session, call }: { session: LiveSession; call: Call }) {
  const words = useSignal('');
  const action = useAction();
  const { turns } = session.remote;
  return (
    <fieldset class="settle">
      <legend>Nobody knows whether it took effect</legend>
      <p>The service ended while this call ran. Look, and say how it is.</p>
      <label>
        What the model reads (optional)
        <input type="text" value={words.value} onInput={({ currentTarget }) => (words.value = currentTarget.value)} />
      </label>
      <div class="actions">
        {CHOICES.map(({ as, label }) => (
          <button
            key={as}
            type="button"
            disabled={action.busy.value}
            onClick={() =>
              action.run(() =>
                turns.resolve(call.turnId, call.id, { as, ...(as !== 'retry' && words.value !== '' && { content: words.value }) }),
              )
            }
          >
            {label}
          </button>
        ))}
      </div>
      <FaultNote fault={action.fault} />
    </fieldset>
  );
}
