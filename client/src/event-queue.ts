import type { ToolexecEvent } from './types.ts';
import { deferred } from './wait.ts';

/** Pieces of progress that wait for a reader. Events wait all: a turn has no more than its calls make. */
const WAITING_PROGRESS = 1_000;

/** Events for one reader, who may come late or never. */
export interface EventQueue {
  readonly read: () => AsyncGenerator<ToolexecEvent>;
  readonly push: (event: ToolexecEvent) => void;
  /** What was pushed is still read. @param error for the reader */
  readonly end: (error?: unknown) => void;
}

export function createEventQueue(): EventQueue {
  const waiting: ToolexecEvent[] = [];
  let wake = deferred<void>();
  let ended: { readonly error: unknown } | undefined;
  async function* read(): AsyncGenerator<ToolexecEvent> {
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
      if (event.type === 'progress' && waiting.length >= WAITING_PROGRESS) return;
      waiting.push(event);
      wake.resolve();
    },
    end: (error) => {
      ended ??= { error };
      wake.resolve();
    },
  };
}
