import type { CommandWord } from '../../contract/index.ts';

/** The values of these options, attached or the next word; `null` for one that only the shell knows. */
export function optionValues(option: RegExp, words: readonly CommandWord[]): readonly (string | null)[] {
  return words.flatMap(({ value }, index) => {
    const [given] = value === null ? [] : (option.exec(value) ?? []);
    if (value === null || given === undefined) return [];
    return value.length > given.length ? [value.slice(given.length).replace(/^=/, '')] : [words[index + 1]?.value ?? null];
  });
}
