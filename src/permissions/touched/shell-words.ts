// What a shell that is started runs: the text behind `-c`, a file, or what it is given to read, which nobody can see here.
import type { CommandWord } from '../../contract/index.ts';
import { isElusive } from './elusive.ts';

const SHELLS = new Set(
  ['sh bash dash ash zsh ksh ksh93 mksh pdksh rbash rksh lksh yash posh fish csh tcsh osh ysh elvish nu xonsh pwsh'].flatMap((names) =>
    names.split(' '),
  ),
);

export function isShell(name: string): boolean {
  return SHELLS.has(name);
}

export interface ShellWords {
  /** Words whose text it runs. */
  readonly texts: readonly CommandWord[];
  /** It also runs what stands in no word. */
  readonly elsewhere: boolean;
}

/** @param words those behind the name of the shell */
export function readShellWords(words: readonly CommandWord[]): ShellWords {
  let takesText = false;
  const texts: CommandWord[] = [];
  let at = 0;
  for (; at < words.length; at += 1) {
    const value = words[at]?.value ?? null;
    if (value === null || !/^[-+]./.test(value)) break;
    if (value === '--') {
      at += 1;
      break;
    }
    const [, attached] = /^--(?:init-)?command=(.*)$/s.exec(value) ?? [];
    if (attached !== undefined) texts.push({ value: attached, written: attached });
    takesText ||= /^-[a-zA-Z]*[cC]/.test(value) || /^--(init-)?command$/.test(value);
    const values = countValues(value);
    // A shell that knows the option otherwise may take its value for the text.
    texts.push(...words.slice(at + 1, at + 1 + values).filter(({ value: own }) => own === null || /\s/.test(own)));
    at += values;
  }
  const operand = words[at === words.length || words[at]?.value !== '-' ? at : at + 1];
  const known = operand !== undefined && operand.value !== null;
  if (takesText) return { texts: known ? [...texts, operand] : texts, elsewhere: !known };
  return { texts, elsewhere: texts.length === 0 && (!known || isElusive(operand.value ?? '')) };
}

/** Words behind an option that belong to it. Shells take long names with one dash as well. */
function countValues(option: string): number {
  if (/^--?(rcfile|init-file)$/.test(option)) return 1;
  return /^[-+][a-zA-Z]+$/.test(option) ? (option.match(/[oO]/g)?.length ?? 0) : 0;
}
