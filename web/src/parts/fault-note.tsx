import type { ReadonlySignal } from '@preact/signals';

/** Tells of a failure, also to those who hear it. */
export function FaultNote({ fault }: { fault: ReadonlySignal<string | null> }) {
  return (
    <div role="alert" class="alert-slot">
      {fault.value !== null && <p class="fault">{fault.value}</p>}
    </div>
  );
}
