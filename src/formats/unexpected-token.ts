// JSON.parse tells where most faults are, but not where an unexpected token stands. This walk over the text finds it.

const SPACE = ' \t\n\r';
const VALUE_STARTS = '"{[-0123456789';
const LITERALS = ['true', 'false', 'null'];

/**
 * Offset of the token that stands where a value should, in text that JSON.parse refused for such a token.
 * All before it is sound, so it is enough to know which characters a value must follow. Linear, without recursion.
 */
export function unexpectedTokenOffset(text: string): number {
  let before = ',';
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (SPACE.includes(char)) continue;
    const valueDue = '[,:'.includes(before) && !(before === '[' && char === ']');
    const literal = valueDue ? LITERALS.find((word) => text.startsWith(word, at)) : undefined;
    if (valueDue && !literal && !VALUE_STARTS.includes(char)) return at;
    before = char;
    if (literal) at += literal.length - 1;
    else if (char === '"') at = closingQuote(text, at);
  }
  return text.length;
}

function closingQuote(text: string, opening: number): number {
  let at = opening + 1;
  while (at < text.length && text.charAt(at) !== '"') at += text.charAt(at) === '\\' ? 2 : 1;
  return at;
}
