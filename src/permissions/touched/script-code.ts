// What scripts in the words of sed and awk run. Those that were judged to only read run nothing.
import type { CommandReader, CommandWord } from '../../contract/index.ts';
import type { Code } from './code-in-words.ts';

const AWKS = new Set(['awk', 'gawk', 'mawk', 'nawk']);

export function codeInScript(name: string, words: readonly CommandWord[], commands: CommandReader): Code {
  const known = words.flatMap(({ value }) => (value === null ? [] : [value]));
  if (AWKS.has(name)) {
    const scripts = known.filter((text) => /system|getline|(?<!\|)\|(?!\|)/.test(text));
    return scripts.flatMap((text) => [null, ...Array.from(text.matchAll(/"((?:[^"\\]|\\.)+)"/g), ([, inner]) => inner ?? '')]);
  }
  if (!/^g?sed$/.test(name) || isPlainSed(words, commands)) return [];
  const runs = known.flatMap((text) => Array.from(text.matchAll(/(?<![a-z])e[ \t]+([^\n]+)/g), ([, line]) => line ?? ''));
  // With words that are not known it could be anything, and mostly is a substitution.
  return known.length < words.length ? runs : [null, ...runs];
}

/** True when all that the script does is change the text: without its option to edit in place, it only reads. */
export function isPlainSed(words: readonly CommandWord[], commands: CommandReader): boolean {
  const rest = words.filter(({ value }) => value === null || !/^(-i[^/]{0,20}|--in-place)$/.test(value));
  const reading = commands.read(['sed', ...rest.map(({ written }) => written)].join(' '));
  return reading.understood && reading.parts.every(({ readOnly }) => readOnly);
}
