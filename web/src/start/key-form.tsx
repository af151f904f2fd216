import { useSignal } from '@preact/signals';
import { useKey } from '../connection.ts';

/** Shown only when the service has asked for a key. */
export function KeyForm() {
  const text = useSignal('');
  return (
    <form
      class="card narrow"
      onSubmit={(event) => {
        event.preventDefault();
        useKey(text.value.trim());
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
      <button type="submit" class="primary">
        Use this key
      </button>
    </form>
  );
}
