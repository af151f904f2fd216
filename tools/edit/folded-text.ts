// A text with a plain newline at the end of each line, whatever ends them really, and the way back.

export interface FoldedText {
  readonly text: string;
  /** The index into the original of an index into `text`. */
  unfold(index: number): number;
  /** What ends the line that an index into `text` stands in: of the nearest line end from there on, else of the last before. */
  endingAt(index: number): string;
}

/** Folds CRLF, and a lone CR where no line ends otherwise. */
export function foldText(original: string): FoldedText {
  if (!original.includes('\n') && original.includes('\r')) {
    return { text: original.replaceAll('\r', '\n'), unfold: (index) => index, endingAt: () => '\r' };
  }
  const text = original.replaceAll('\r\n', '\n');
  const pairs = text.length === original.length ? [] : pairPositions(original);
  const unfold = (index: number): number => index + countBelow(pairs, index);
  let nextEnd = -1;
  return {
    text,
    unfold,
    endingAt(index) {
      // Places come in order, so a search for the next line end begins where the last one ended.
      if (nextEnd < index) nextEnd = text.indexOf('\n', index);
      if (nextEnd === -1) nextEnd = text.lastIndexOf('\n');
      return nextEnd !== -1 && countBelow(pairs, nextEnd + 1) > countBelow(pairs, nextEnd) ? '\r\n' : '\n';
    },
  };
}

/** A text that is taken literally: every carriage return stays one. */
export function literalText(original: string): FoldedText {
  return { text: original, unfold: (index) => index, endingAt: () => '\n' };
}

/** Indices into the folded text of the newlines that were CRLF, ascending. */
function pairPositions(original: string): number[] {
  const positions: number[] = [];
  for (let at = original.indexOf('\r\n'); at !== -1; at = original.indexOf('\r\n', at + 2)) positions.push(at - positions.length);
  return positions;
}

function countBelow(ascending: readonly number[], limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? Infinity) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
