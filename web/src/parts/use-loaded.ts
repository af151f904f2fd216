// Something that is asked of the service when a part of the page is shown, and again on demand.
import { useSignal, type ReadonlySignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { inWords } from '../connection.ts';

export interface Loaded<Value> {
  readonly value: ReadonlySignal<Value | undefined>;
  readonly fault: ReadonlySignal<string | null>;
  readonly reload: () => void;
}

/** @param of what it depends on: when that changes, it is asked for again, and an answer that comes late is dropped */
export function useLoaded<Value>(load: () => Promise<Value>, of: readonly unknown[]): Loaded<Value> {
  const value = useSignal<Value | undefined>(undefined);
  const fault = useSignal<string | null>(null);
  const asked = useRef(0);
  const ask = async (): Promise<void> => {
    const question = ++asked.current;
    try {
      const answer = await load();
      if (question !== asked.current) return;
      value.value = answer;
      fault.value = null;
    } catch (error) {
      if (question === asked.current) fault.value = inWords(error);
    }
  };
  const reload = (): void => void ask();
  useEffect(() => {
    reload();
    return () => void asked.current++;
  }, of);
  return { value, fault, reload };
}
