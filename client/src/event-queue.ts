import { deferred } from './wait.ts';

/** Pieces of progress that wait for a reader. Of everything else it is for the writer to say how much. */
const WAITING_PROGRESS = 1_000;

/** Events for one reader, who may come late or never. */
export interface EventQueue<Event> {
  readonly read: () => AsyncGenerator<Event>;
  /** Progress is passed over while there is much to read. @returns how many wait */
  readonly push: (event: Event) => number;
  /** What was pushed is still read. @param error for the reader */
  readonly end: (error?: unknown) => void;
}

export function createEventQueue<Event extends { readonly type: string }>(): EventQueue<Event> {
  const waiting: Event[] = [];
  let wake = deferred<void>();
  let ended: { readonly error: unknown } | undefined;
  async function* read(): AsyncGenerator<Event> {
    for (;;) {
      for (let event = waiting.shift(); event !== undefined; event = waiting.shift()) yield event;
      if (ended?.error !== undefined) throw ended.error;
      if (ended !== undefined) return;
      await wake.promise;
      wake = deferred();
    }
  }
  return {
    read,
    push: (event) => {
      if (event.type !== 'progress' || waiting.length < WAITING_PROGRESS) waiting.push(event);
      wake.resolve();
      return waiting.length;
    },
    end: (error) => {
      ended ??= { error };
      wake.resolve();
    },
  };
}
