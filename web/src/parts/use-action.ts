// Something a person sets off: busy while it goes on, with its fault in words when it fails.
import { useSignal, type ReadonlySignal } from '@preact/signals';
import { inWords } from '../connection.ts';

export interface Action {
  readonly busy: ReadonlySignal<boolean>;
  readonly fault: ReadonlySignal<string | null>;
  /** Does nothing while the one before goes on. */
  readonly run: (work: () => Promise<unknown>) => void;
}

export function useAction(): Action {
  const busy = useSignal(false);
  const fault = useSignal<string | null>(null);
  const go = async (work: () => Promise<unknown>): Promise<void> => {
    busy.value = true;
    fault.value = null;
    try {
      await work();
    } catch (error) {
      fault.value = inWords(error);
    } finally {
      busy.value = false;
    }
  };
  return { busy, fault, run: (work) => void (busy.peek() || go(work)) };
}
