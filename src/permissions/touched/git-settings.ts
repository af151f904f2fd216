// Whether git changes the settings of its repository, which a sandbox holds as they are unless people say yes.
import type { TouchedPart } from './touched-command.ts';
import { programName } from './wrappers.ts';

/** By what git does: words that make it write settings. `config` is told by what it does not do. */
const WRITES: Readonly<Record<string, RegExp>> = {
  remote: /^(add|rm|remove|rename|set-url|set-branches)$/,
  branch: /^(-[a-zA-Z]*[dDmMuct]|--(delete|move|copy|track|set-upstream-to|unset-upstream|edit-description)(=.*)?)$/,
  push: /^(-[a-zA-Z]*u|--set-upstream)$/,
  submodule: /^(add|init|deinit|sync|set-url|set-branch|--init)$/,
  'sparse-checkout': /^(init|set|disable)$/,
};
const OTHER_SETTINGS = /^(--global|--system|--file(=.*)?|-f|--blob(=.*)?)$/;
const READS_SETTINGS = /^(--get.*|--list|-l|--show-.*|get|list)$/;
const CHANGES_SETTINGS = /^(--(unset|add|replace|rename|remove|edit).*|-e|set|unset|edit|rename-section|remove-section)$/;

export function writesGitSettings({ programs }: TouchedPart): boolean {
  return programs.some(({ words }) => {
    const [first, second, ...others] = words.map(({ value }) => value ?? '');
    if (first === undefined || programName(first) !== 'git' || second === undefined) return false;
    return second === 'config' ? changesConfig(others) : others.some((word) => WRITES[second]?.test(word) === true);
  });
}

function changesConfig(words: readonly string[]): boolean {
  if (words.some((word) => OTHER_SETTINGS.test(word) || READS_SETTINGS.test(word))) return false;
  return words.some((word) => CHANGES_SETTINGS.test(word)) || words.filter((word) => !word.startsWith('-')).length > 1;
}
