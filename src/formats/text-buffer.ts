// Text that arrives in pieces. Joining now and then keeps millions of tiny pieces from costing many times their length.

const PIECES = 1_024;

export interface TextBuffer {
  readonly joined: string[];
  loose: string[];
}

export function newTextBuffer(): TextBuffer {
  return { joined: [], loose: [] };
}

export function addPiece(buffer: TextBuffer, piece: string): void {
  if (buffer.loose.push(piece) < PIECES) return;
  buffer.joined.push(buffer.loose.join(''));
  buffer.loose = [];
}

export function textOf(buffer: TextBuffer): string {
  return buffer.joined.join('') + buffer.loose.join('');
}
