import type { CommandRequest } from '../../contract/index.ts';

export type OutputPiece = Parameters<NonNullable<CommandRequest['onOutput']>>[0];

/** Pieces that wait for a reader that is slower than the command; the oldest are dropped, which their offsets show. */
const MAX_WAITING = 16;

export interface LiveOutput {
  /** After the end nothing is taken any more. */
  readonly push: (piece: OutputPiece) => void;
  readonly end: () => void;
  /** Pieces in order until `end`. One reader. */
  pieces(): AsyncGenerator<OutputPiece, void>;
}

/** Joins a command that pushes its output with a reader that pulls it. */
export function createLiveOutput(): LiveOutput {
  const waiting: OutputPiece[] = [];
  let ended = false;
  let wake = () => {};
  return {
    push(piece) {
      if (ended) return;
      waiting.push(piece);
      if (waiting.length > MAX_WAITING) waiting.shift();
      wake();
    },
    end() {
      ended = true;
      wake();
    },
    async *pieces() {
      for (;;) {
        const piece = waiting.shift();
        if (piece !== undefined) yield piece;
        else if (ended) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
