import type { Signal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { pretty, readJson } from '../model/read-json.ts';

interface JsonEditorProps {
  readonly label: string;
  readonly text: Signal<string>;
  readonly rows?: number;
}

/** A text area for a JSON object that says what is not right yet. */
export function JsonEditor({ label, text, rows = 8 }: JsonEditorProps) {
  const id = useId();
  const { fault, value } = readJson(text.value);
  // Nothing is wrong before something was written.
  const isEmpty = text.value.trim() === '';
  const isBad = fault !== undefined && !isEmpty;
  return (
    <div class="editor">
      <div class="editor-head">
        <label for={id}>{label}</label>
        <button type="button" class="quiet" disabled={fault !== undefined} onClick={() => (text.value = pretty(value))}>
          Tidy
        </button>
      </div>
      <textarea
        id={id}
        rows={rows}
        spellcheck={false}
        autocapitalize="off"
        autocomplete="off"
        value={text.value}
        aria-invalid={isBad}
        aria-describedby={`${id}-fault`}
        onInput={({ currentTarget }) => (text.value = currentTarget.value)}
      />
      <p id={`${id}-fault`} class="hint" data-bad={isBad}>
        {isEmpty ? 'Paste or write JSON here.' : (fault ?? 'Valid JSON.')}
      </p>
    </div>
  );
}
