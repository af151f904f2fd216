export interface LivePieces<Piece> {
  /** After the end nothing is taken any more. */
  readonly push: (piece: Piece) => void;
  readonly end: () => void;
  /** Pieces in order until `end`. One reader. */
  pieces(): AsyncGenerator<Piece, void>;
}

/**
 * Joins what pushes pieces with a reader that pulls them.
 * @param limit pieces that wait for a slow reader; beyond it the oldest are dropped
 */
export function livePieces<Piece>(limit: number): LivePieces<Piece> {
  const waiting: Piece[] = [];
  let ended = false;
  let wake = () => {};
  return {
    push(piece) {
      if (ended) return;
      waiting.push(piece);
      if (waiting.length > limit) waiting.shift();
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
