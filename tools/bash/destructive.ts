import { commandsIn, type SimpleCommand } from '../../src/shell/commands.ts';

/** Programs that run the rest of their words as a command. */
const WRAPPERS = new Set([
  'sudo',
  'doas',
  'command',
  'builtin',
  'exec',
  'env',
  'nice',
  'nohup',
  'time',
  'timeout',
  'xargs',
  'setsid',
  'stdbuf',
]);
const ALWAYS = new Set(['rm', 'unlink', 'shred', 'truncate', 'dd', 'wipefs', 'fdisk', 'dropdb']);

/** What of git loses work that is nowhere else: the words that must all be there. */
const GIT_LOSSES: readonly (readonly [subcommand: string, option: RegExp])[] = [
  ['reset', /^--(hard|merge|keep)$/],
  ['clean', /^(-[a-zA-Z]*f[a-zA-Z]*|--force)$/],
  ['checkout', /^(--|\.|-f|--force)$/],
  ['switch', /^(-f|--force|--discard-changes)$/],
  ['restore', /./],
  ['push', /^(-f|--force.*|--delete|-d|--mirror|\+.*)$/],
  ['branch', /^(-D|-d|--delete)$/],
  ['tag', /^(-d|--delete)$/],
  ['stash', /^(drop|clear)$/],
  ['reflog', /^(expire|delete)$/],
  ['rebase', /./],
  ['filter-branch', /./],
  ['gc', /^--prune/],
];

/** Whether a line removes or overwrites what it may not be able to bring back. A hint for people: no decision hangs on it. */
export function isDestructiveCommand(line: string): boolean {
  return commandsIn(line)?.some(isDestructive) ?? false;
}

function isDestructive({ name, words }: SimpleCommand): boolean {
  const base = baseName(name);
  if (base === 'find' && words.includes('-delete')) return true;
  if (base !== 'find' && !WRAPPERS.has(base)) return isLoss(base, words);
  const mayStart = (index: number) => base !== 'find' || /^-(exec|ok)(dir)?$/.test(words[index - 1] ?? '');
  return words.some((word, index) => mayStart(index) && isLoss(baseName(word), words.slice(index + 1)));
}

function baseName(name: string | null): string {
  return name === null ? '' : name.slice(name.lastIndexOf('/') + 1);
}

function isLoss(program: string, words: readonly (string | null)[]): boolean {
  if (program === 'git') return GIT_LOSSES.some(([subcommand, option]) => losesWork(words, subcommand, option));
  return ALWAYS.has(program) || program.startsWith('mkfs');
}

function losesWork(words: readonly (string | null)[], subcommand: string, option: RegExp): boolean {
  const at = words.indexOf(subcommand);
  return at !== -1 && words.slice(at + 1).some((word) => word !== null && option.test(word));
}
