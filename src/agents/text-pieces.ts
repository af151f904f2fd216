/** Characters that are worth a piece of their own. */
const PIECE = 160;

export interface TextPieces {
  push: (text: string) => void;
  /** Passes on what is left, and ends the last line. */
  end: () => void;
}

/** Makes few pieces of many: each is passed on at the end of a line, or when it is long enough. */
export function inPieces(emit: (text: string) => void): TextPieces {
  let held = '';
  let atLineStart = true;
  const flush = (): void => {
    const text = held;
    held = '';
    if (text !== '') emit(text);
  };
  return {
    end() {
      if (!atLineStart) held += '\n';
      atLineStart = true;
      flush();
    },
    push(text) {
      held += text;
      atLineStart = text.endsWith('\n');
      if (held.length >= PIECE || text.includes('\n')) flush();
    },
  };
}
