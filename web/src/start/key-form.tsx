import { useSignal } from '@preact/signals';
import { keyFault, useKey } from '../connection.ts';
import { FaultNote } from '../parts/fault-note.tsx';
import { useAction } from '../parts/use-action.ts';

/** Shown only when the service has asked for a key. */
export function KeyForm() {
  const text = useSignal('');
  const action = useAction();
  return (
    <form
      class="card narrow"
      onSubmit={(event) => {
        event.preventDefault();
        action.run(() => useKey(text.value.trim()));
      }}
    >
      <h1>This service asks for a key</h1>
      <p>It stays in this tab until you close it, and goes to this service alone.</p>
      <label for="key">API key</label>
      <input
        id="key"
        type="password"
        autocomplete="off"
        required
        value={text.value}
        onInput={({ currentTarget }) => (text.value = currentTarget.value)}
      />
      <FaultNote fault={keyFault} />
      <FaultNote fault={action.fault} />
      <button type="submit" class="primary" disabled={action.busy.value}>
        Use this key
      </button>
    </form>
  );
}
