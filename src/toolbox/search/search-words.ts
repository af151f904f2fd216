// How names, descriptions and queries become words that can be compared.

/** Words that say nothing about what a tool does. */
const FILLERS = new Set(
  'a an and any are as at be by can could do does for from has have how i if in into is it its me my of on one or our please some something that the their them then there these this those to tool use used using want was we what when where which who will with would you your'.split(
    ' ',
  ),
);

/** What people and models say for the same thing; a query for one word also finds, with less weight, the others. */
const ALIKE = [
  'create make add new insert build open mkdir',
  'delete remove erase drop clear forget rm',
  'list show enumerate display ls',
  'get read show fetch load view open cat',
  'update edit change modify set alter revise',
  'write save store put',
  'search find look lookup grep',
  'send post publish',
  'upload put',
  'download get export',
  'move rename mv',
  'copy duplicate clone cp',
  'run execute start invoke trigger',
  'stop cancel end abort',
  'close resolve finish complete',
  'assign give',
  'book schedule plan create',
  'click press tap push',
  'silence mute',
  'reply respond answer',
  'compare diff',
  'count number total',
  'think reason',
  'compress zip gzip',
  'directory folder mkdir ls',
  'image picture photo screenshot',
  'link relation connect connection relate',
  'fact note observation',
  'memory knowledge remember',
  'mail email',
  'message chat',
  'ticket issue bug',
  'meeting appointment event',
  'person people user member',
  'alert alarm',
  'cpu processor',
  'url address',
  'big size large',
].map((line) => line.split(' ').map(stem));

const alike = new Map<string, readonly string[]>();
for (const word of new Set(ALIKE.flat())) {
  const others = new Set(ALIKE.filter((group) => group.includes(word)).flat());
  others.delete(word);
  alike.set(word, [...others]);
}

/** Lower-case words, with `camelCase`, `snake_case` and `kebab-case` taken apart. */
export function wordsOf(text: string): string[] {
  return text
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

export function isFiller(word: string): boolean {
  return FILLERS.has(word);
}

/** What is left of an English word without its endings, so that `files` finds `file` and `creating` finds `create`. */
export function stem(word: string): string {
  return withoutPlural(word)
    .replace(/(?<=[aeiouy].*)(?:ing|ed)$/, '')
    .replace(/([^aeiouylsz])\1$/, '$1')
    .replace(/(?<=..)e$/, '');
}

function withoutPlural(word: string): string {
  if (word.length < 4 || /(?:ss|us|is)$/.test(word)) return word;
  return word.replace(/ies$/, 'y').replace(/(?<=ss|x|ch|sh)es$|s$/, '');
}

/** Stems of other words for the same thing. @param stemmed as {@link stem} gives it */
export function alikeTo(stemmed: string): readonly string[] {
  return alike.get(stemmed) ?? [];
}
