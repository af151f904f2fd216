// Sub-commands of git that only read when the environment is hardened (see git-environment.ts) and the repository has been
// asked what programs its configuration names (see git-preflight.ts). Options before the sub-command choose another
// repository or configuration, so that only a few are taken.
import { cannotBeOption, isLiteral, literalTexts } from '../options.ts';
import {
  BLAME_OPTIONS,
  CONFIG_OPTIONS,
  DIFF_OPTIONS,
  GREP_OPTIONS,
  LOG_OPTIONS,
  LS_FILES_OPTIONS,
  REF_LIST_OPTIONS,
  REV_LIST_OPTIONS,
  REV_PARSE_OPTIONS,
  STATUS_OPTIONS,
} from './git-options.ts';
import { anyOf, exactly, has, program, type Judge, type Programs } from './program.ts';

const GLOBAL_OPTIONS = /^(-P|--no-pager|--no-optional-locks|--no-replace-objects|--(literal|glob|noglob|icase)-pathspecs)$/;
const LISTS_REFS = '--contains --no-contains --merged --no-merged --points-at';

/** A sub-command with sub-commands of its own, of which these read; `''` when there is none. */
function oneOf(judges: Readonly<Record<string, Judge>>): Judge {
  return (given, judgeCommand) => {
    const [first, ...rest] = given;
    const named = first?.kind === 'literal' && first.text !== '' && Object.hasOwn(judges, first.text) ? judges[first.text] : undefined;
    return named === undefined ? (judges['']?.(given, judgeCommand) ?? false) : named(rest, judgeCommand);
  };
}

/** Without what makes it a list, an operand is the name of something new. */
function listOfRefs(options: string, listing: string): Judge {
  return program(`${REF_LIST_OPTIONS} ${options} ${listing}`, {
    accepts: (matched) => matched.operands.length === 0 || has(matched, `${listing} ${LISTS_REFS}`.split(' ')),
  });
}

const CONFIG_GETS = ['--get', '--get-all', '--get-regexp', '--get-urlmatch', '--get-color', '--get-colorbool'];

/** One name is asked for; a second word without `--get` is its new value. Options end with the first operand. */
const CONFIG = program(CONFIG_OPTIONS, {
  operandsLast: true,
  accepts: (matched) => {
    const words = literalTexts(matched.operands);
    if (words === null || words.some((word) => word.startsWith('-'))) return false;
    if (words[0] === 'list' || words[0] === 'get') return words.length <= 2;
    if (has(matched, CONFIG_GETS)) return words.length <= 2;
    // In newer versions a word without a dot is a sub-command, such as `edit`.
    return words.length === 0 || (words.length === 1 && words[0]?.includes('.') === true);
  },
});

/** Behind a second `--` it reads options again. */
const BLAME = program(BLAME_OPTIONS, { accepts: ({ operands }) => operands.every(cannotBeOption) });

const APPLY_CHECKS = '--stat --numstat --summary --check';
const REFLOG_WRITES = new Set(['expire', 'delete', 'drop', 'write']);
/** They hand on what they are given without the `--` in it, so that what stands behind would be options. */
const STASH = {
  list: program(LOG_OPTIONS, { maxOperands: 0 }),
  show: program(`${DIFF_OPTIONS} --include-untracked --only-untracked --no-include-untracked`, { maxOperands: 0 }),
};
const NOTES = { list: program(''), show: program(''), 'get-ref': program(''), '': exactly('') };

// Not `whatchanged`, which newer versions let an alias stand for.
const SUBCOMMANDS: Programs = {
  status: program(STATUS_OPTIONS),
  diff: program(`${DIFF_OPTIONS} --base --cached --no-index --ours --staged --theirs`),
  log: program(LOG_OPTIONS),
  show: program(LOG_OPTIONS),
  shortlog: program(`${LOG_OPTIONS} -e -n -w? --committer --email --group: --numbered --summary`),
  reflog: program(LOG_OPTIONS, {
    accepts: ({ operands }) => operands.every((operand) => operand.kind === 'literal' && !REFLOG_WRITES.has(operand.text)),
  }),
  'rev-list': program(REV_LIST_OPTIONS),
  'rev-parse': program(REV_PARSE_OPTIONS),
  'diff-tree': program(LOG_OPTIONS),
  'diff-index': program(`${DIFF_OPTIONS} -c -m --cached --cc`),
  'diff-files': program(`${DIFF_OPTIONS} -c -m --base --cc --ours --theirs`),
  'range-diff': program(`${DIFF_OPTIONS} --creation-factor: --left-only --no-dual-color --no-notes --notes? --right-only`),
  blame: BLAME,
  annotate: BLAME,
  grep: program(GREP_OPTIONS),
  'ls-files': program(LS_FILES_OPTIONS),
  'ls-tree': program('-d -l -r -t -z --abbrev? --format: --full-name --full-tree --long --name-only --name-status --object-only'),
  'cat-file': program('-e -p -s -t'),
  'merge-base': program('-a --all --fork-point --independent --is-ancestor --octopus'),
  'name-rev': program('--all --always --exclude: --name-only --no-undefined --refs: --tags'),
  describe: program(
    '--abbrev? --all --always --candidates: --contains --debug --exact-match --exclude: --first-parent --long --match: --tags',
  ),
  'show-ref': program('-d -q -s --abbrev? --branches --dereference --hash? --head --heads --quiet --tags --verify'),
  'for-each-ref': program(`${REF_LIST_OPTIONS} --count: --exclude: --perl --python --shell --tcl`),
  'show-branch': program(
    `-a -g? -r --all --color? --current --date-order --independent --list --merge-base --more: --no-color --no-name --reflog? --remotes
    --sha1-name --sparse --topics --topo-order`,
  ),
  cherry: program('-v --abbrev?'),
  fsck: program(
    `-v --cache --connectivity-only --dangling --full --name-objects --no-dangling --no-full --no-progress --no-reflogs --root --strict --tags
    --unreachable --verbose`,
  ),
  'count-objects': program('-v -H --human-readable --verbose'),
  'check-ignore': program('-n -q -v -z --no-index --non-matching --quiet --stdin --verbose'),
  'check-attr': program('-a -z --all --cached --source: --stdin'),
  'check-mailmap': program('--stdin'),
  'check-ref-format': program('--allow-onelevel --branch --no-allow-onelevel --normalize --refspec-pattern'),
  apply: program(`-p: -R -v -z --directory: --exclude: --include: --reverse --verbose ${APPLY_CHECKS}`, { needs: APPLY_CHECKS }),
  branch: listOfRefs('-a -q -r -v --abbrev? --all --column? --no-abbrev --no-column --remotes --show-current --verbose', '-l --list'),
  tag: listOfRefs('--column? --no-column', '-l --list -n?'),
  remote: oneOf({ 'get-url': program('--all --push', { maxOperands: 1 }), '': exactly('', '-v', '--verbose') }),
  stash: oneOf(STASH),
  notes: oneOf(NOTES),
  worktree: oneOf({ list: program('-v -z --expire: --porcelain --verbose', { maxOperands: 0 }) }),
  'symbolic-ref': program('-q --no-recurse --quiet --recurse --short', { maxOperands: 1 }),
  config: CONFIG,
  var: program('-l', { maxOperands: 1 }),
  version: exactly('', '--build-options'),
  help: exactly(''),
};

const ALONE = exactly(
  '',
  '--version',
  '-v',
  '--version --build-options',
  '--help',
  '-h',
  '--exec-path',
  '--html-path',
  '--man-path',
  '--info-path',
);

const WITH_SUBCOMMAND: Judge = (given, judgeCommand) => {
  const start = given.findIndex((argument) => argument.kind !== 'literal' || !GLOBAL_OPTIONS.test(argument.text));
  const name = given[start];
  const rest = given.slice(start + 1);
  // The help pages open a pager or a browser.
  if (name?.kind !== 'literal' || rest.some((argument) => isLiteral(argument, '--help'))) return false;
  return Object.hasOwn(SUBCOMMANDS, name.text) && SUBCOMMANDS[name.text]?.(rest, judgeCommand) === true;
};

/** Sub-commands that start no program for any configuration of the repository, once the environment is hardened. */
const STARTING_NOTHING =
  /^(branch|tag|rev-parse|remote|config|symbolic-ref|worktree|count-objects|version|help|var|check-ref-format|for-each-ref|show-ref|merge-base)$/;

/** Whether git may start a program which the configuration of the repository names. @param words what follows `git` */
export function mayStartPrograms(words: readonly (string | null)[]): boolean {
  const subcommand = words.find((word) => word === null || !GLOBAL_OPTIONS.test(word));
  if (subcommand === null) return true;
  return subcommand !== undefined && !subcommand.startsWith('-') && !STARTING_NOTHING.test(subcommand);
}

export const GIT_PROGRAMS: Programs = { git: anyOf(ALONE, WITH_SUBCOMMAND) };
