// What no setting can turn off, because its key holds a name that the repository chose: diff, filter and merge drivers,
// trailer commands, and submodules that git would look into with their own configuration. So the repository is asked first.
import { commandsIn } from './commands.ts';
import { mayStartPrograms } from './programs/git.ts';

const PROGRAM_KEYS = String.raw`^(diff|filter|merge)\..*\.(textconv|command|clean|smudge|process|driver)$|^diff\.external$|^trailer\..*\.(command|cmd)$`;
const SUBMODULE_KEYS = String.raw`^submodule\..*\.ignore$`;

/** Each line is a scope, a tab and a key. Exit code 1 of `git config` means that there is none, any other that it failed. */
const SCRIPT = `
git config --show-scope --name-only --get-regexp '${PROGRAM_KEYS}'
[ $? -le 1 ] || exit 2
git config --show-scope --name-only --get-regexp '${SUBMODULE_KEYS}' '^(none|untracked)$'
[ $? -le 1 ] || exit 2
for source in "--file=$(git rev-parse --show-cdup 2>/dev/null).gitmodules" --blob=:.gitmodules --blob=HEAD:.gitmodules; do
  git config "$source" --name-only --get-regexp '${SUBMODULE_KEYS}' '^(none|untracked)$' 2>/dev/null | while IFS= read -r key; do
    printf 'gitmodules\\t%s\\n' "$key"
  done
done
exit 0
`;

/** The program that asks a repository, in its directory and with `READ_ONLY_GIT_ENVIRONMENT`. It starts nothing but git. */
export const GIT_PREFLIGHT: { readonly file: string; readonly args: readonly string[] } = {
  file: '/bin/bash',
  args: ['--norc', '--noprofile', '-c', SCRIPT],
};

/** Set by the operator of the machine, or by the environment itself. */
const TRUSTED_SCOPES = new Set(['system', 'command']);

/** Whether a line that only reads has git do what may start programs named in the configuration. */
export function needsGitPreflight(line: string): boolean {
  return commandsIn(line)?.some(({ name, words }) => name === 'git' && mayStartPrograms(words)) ?? true;
}

/** The keys by which the repository names programs, from what {@link GIT_PREFLIGHT} printed. */
export function keysOfPrograms(printed: string): string[] {
  const lines = printed.split('\n').filter((line) => line !== '');
  const found = lines.flatMap((line) => {
    const tab = line.indexOf('\t');
    return TRUSTED_SCOPES.has(line.slice(0, tab)) ? [] : [line.slice(tab + 1)];
  });
  return [...new Set(found)];
}
