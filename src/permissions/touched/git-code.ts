import type { CommandWord } from '../../contract/index.ts';

/** Settings whose value git runs. */
const NAMES_PROGRAM =
  /^alias\.|pager|editor|command|\.cmd$|external|textconv|fsmonitor|helper|program|askpass|\.(clean|smudge|process|driver|path|insteadof)$|uploadpack|receivepack/i;
/** Options whose value is a command line. */
const COMMAND_OPTION = /^(-x|--(exe|ext|upload|receive|open-f|(tree|index|env|msg|parent|commit|tag-name)-filter)[a-z-]*)(?:=(.*))?$/s;

/** What git is given to run: in settings for one call, options, and behind the words that start other programs. */
export function codeForGit(words: readonly CommandWord[]): readonly (string | null)[] {
  const found: (string | null)[] = [];
  for (const [index, { value, written }] of words.entries()) {
    const next = words[index + 1];
    if (value === '-c' && next !== undefined) found.push(...codeInSetting(next));
    if (value === null) continue;
    if (value.startsWith('--config-env')) found.push(null);
    if (value.startsWith('!')) found.push(value.slice(1));
    if (value.startsWith('ext::')) found.push(value.slice('ext::'.length));
    if (/^-O./.test(value)) found.push(value.slice(2));
    const [, option, , , attached] = COMMAND_OPTION.exec(value) ?? [];
    if (option !== undefined) found.push(attached ?? next?.value ?? '');
    // `config name value`: what is set now may run in the next part.
    if (/^[\w-]+\.[\w.-]+$/.test(written) && NAMES_PROGRAM.test(value)) found.push(next?.value?.replace(/^!/, '') ?? '');
  }
  const started = words.findIndex(({ value }) => value === 'run' || value === 'foreach');
  if (started !== -1) found.push(joined(words.slice(started + 1)));
  return found.filter((text) => text !== '');
}

function codeInSetting({ value, written }: CommandWord): readonly (string | null)[] {
  const [, name, text] = /^["']?([\w.*-]+)(?:=(.*))?$/s.exec(value ?? written) ?? [];
  if (name !== undefined && !NAMES_PROGRAM.test(name)) return [];
  return [value === null || name === undefined ? null : (text ?? '').replace(/^!/, '')];
}

function joined(words: readonly CommandWord[]): string | null {
  const values = words.map(({ value }) => value).filter((value) => value === null || !/^--?[a-z]+$/.test(value));
  return values.includes(null) ? null : values.join(' ');
}
