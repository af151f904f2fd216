// Texts with `*`, matched from left to right without ever going back over a star, so that no rule and no text makes it slow.

/** The texts between the stars: one alone is a text without a star. */
export type Wildcard = readonly string[];

/** `maybe`: the text goes on, and how it goes on decides. */
export type Match = 'yes' | 'maybe' | 'no';

export function strongest(matches: readonly Match[]): Match {
  if (matches.includes('yes')) return 'yes';
  return matches.includes('maybe') ? 'maybe' : 'no';
}

/** Reads `*` as any run of characters and `\*` as a star. */
export function parseWildcard(text: string): Wildcard {
  return text.split(/(?<!\\)\*+/).map((piece) => piece.replaceAll(String.raw`\*`, '*'));
}

/** Makes a text that {@link parseWildcard} reads as itself. */
export function escapeWildcard(text: string): string {
  return text.replaceAll('*', String.raw`\*`);
}

/** @param open true when only the beginning of the text is known */
export function matchWildcard(pattern: Wildcard, text: string, open = false): Match {
  if (matchesWhole(pattern, text)) return 'yes';
  const [first = ''] = pattern;
  const begins = first.startsWith(text) || (pattern.length > 1 && text.startsWith(first));
  return open && begins ? 'maybe' : 'no';
}

function matchesWhole([first = '', ...rest]: Wildcard, text: string): boolean {
  const last = rest.at(-1);
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  // The leftmost place of each piece leaves the most for those behind it.
  for (const piece of rest.slice(0, -1)) {
    const at = text.indexOf(piece, from);
    if (at === -1) return false;
    from = at + piece.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}
