import { useSignal } from '@preact/signals';

interface SureButtonProps {
  /** What is pressed first, and what is pressed to do it. */
  readonly label: string;
  readonly sure: string;
  /** For those who hear it, where the label alone does not say what is meant. */
  readonly describes?: string;
  readonly disabled?: boolean;
  readonly onSure: () => void;
}

/** A button for what cannot be taken back: it asks once more. */
export function SureButton({ label, sure, describes, disabled = false, onSure }: SureButtonProps) {
  const isAsking = useSignal(false);
  const about = describes === undefined ? '' : ` ${describes}`;
  if (!isAsking.value)
    return (
      <button type="button" class="quiet" aria-label={`${label}${about}`} onClick={() => (isAsking.value = true)}>
        {label}
      </button>
    );
  return (
    <span class="actions">
      <button
        type="button"
        class="danger"
        aria-label={`${sure}${about}`}
        disabled={disabled}
        onClick={() => {
          isAsking.value = false;
          onSure();
        }}
      >
        {sure}
      </button>
      <button type="button" class="quiet" onClick={() => (isAsking.value = false)}>
        Keep
      </button>
    </span>
  );
}
