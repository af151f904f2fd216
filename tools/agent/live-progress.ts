import type { AgentProgress } from '../../src/contract/index.ts';

/** Pieces that wait for their reader: beyond that the oldest are left out, as progress may be. */
const MAX_WAITING = 1_000;

export interface LiveProgress {
  readonly push: (data: AgentProgress) => void;
  readonly end: () => void;
  /** All that comes, until the end. One reader. */
  readonly pieces: () => AsyncGenerator<AgentProgress, void, void>;
}

/** What an agent does, from callbacks to a generator. */
export function liveProgress(): LiveProgress {
  const waiting: AgentProgress[] = [];
  let ended = false;
  let wake = (): void => {};
  return {
    push(data) {
      if (ended) return;
      if (waiting.length >= MAX_WAITING) waiting.shift();
      waiting.push(data);
      wake();
    },
    end() {
      ended = true;
      wake();
    },
    async *pieces() {
      for (;;) {
        const next = waiting.shift();
        if (next !== undefined) yield next;
        else if (ended) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
