/** Parts of emoji that are not seen by themselves. */
const OF_EMOJI = '(?<=[\\p{ExtPict}\\p{EMod}]\\uFE0F?)(?:\\u200D(?=\\p{ExtPict})|\\uFE0F)';
const UNSEEN = new RegExp(`(${OF_EMOJI})|[^\\P{Cc}\\n\\t]|\\p{Cf}|\\p{DI}`, 'gu');

/** Without control, format and invisible characters, which hide, move or smuggle what stands beside them. */
export function plainText(text: string): string {
  return text.replace(UNSEEN, '$1').trim();
}
