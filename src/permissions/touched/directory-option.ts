import type { CommandWord } from '../../contract/index.ts';
import { optionValues } from './option-values.ts';

/** Programs that change into the directory that such an option names, before they do anything. */
const OPTIONS: Readonly<Record<string, RegExp>> = {
  env: /^(-C|--c[a-z]*)/,
  git: /^(-C|--work-tree)/,
  make: /^(-C|--directory)/,
  gmake: /^(-C|--directory)/,
  ninja: /^-C/,
  tar: /^(-C|--directory|--cd)/,
  cargo: /^-C/,
  pnpm: /^(-C|--dir)/,
  yarn: /^--cwd/,
  npm: /^(-C|--prefix)/,
  sudo: /^(-D|--chdir)/,
  'start-stop-daemon': /^(-d|--chdir)/,
  'systemd-run': /^--working-directory/,
};

/** The directories that its options name; `null` for one that only the shell knows. */
export function directoryOption(name: string, words: readonly CommandWord[]): readonly (string | null)[] {
  const option = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined;
  return option === undefined ? [] : optionValues(option, words);
}
