/**
 * Every place where a text stands in another, overlaps included, ascending. Takes time in proportion to both lengths,
 * whatever they hold (Knuth, Morris and Pratt): the search of the language takes their product for texts made for it.
 */
export function placesOf(text: string, wanted: string): number[] {
  const fallback = fallbackOf(wanted);
  const places: number[] = [];
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && wanted.charCodeAt(matched) !== unit) matched = fallback[matched - 1] ?? 0;
    if (wanted.charCodeAt(matched) === unit) matched += 1;
    if (matched < wanted.length) continue;
    places.push(at - wanted.length + 1);
    matched = fallback[matched - 1] ?? 0;
  }
  return places;
}

/** For each prefix, the length of the longest shorter prefix that it ends with. */
function fallbackOf(wanted: string): Int32Array {
  const fallback = new Int32Array(wanted.length);
  let matched = 0;
  for (let at = 1; at < wanted.length; at += 1) {
    const unit = wanted.charCodeAt(at);
    while (matched > 0 && wanted.charCodeAt(matched) !== unit) matched = fallback[matched - 1] ?? 0;
    if (wanted.charCodeAt(matched) === unit) matched += 1;
    fallback[at] = matched;
  }
  return fallback;
}
