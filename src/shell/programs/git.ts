// Sub-commands of git that only read when the environment is hardened (see git-environment.ts). Options before the
// sub-command choose another repository or configuration, so that only `--no-pager` is taken.
import { program, type Judge } from './program.ts';

const DIFF_OPTIONS = `-# -0 -a -b -B? -C? -D -G: -i -l: -M? -p -q -R -s -S: -u -U: -w -W -X? -z --abbrev? --anchored: --binary --check
  --color? --color-moved? --color-words? --compact-summary --cumulative --diff-algorithm: --diff-filter: --dirstat?
  --dst-prefix: --exit-code --find-copies? --find-copies-harder --find-object: --find-renames? --full-index
  --function-context --histogram --ignore-all-space --ignore-blank-lines --ignore-cr-at-eol --ignore-matching-lines:
  --ignore-space-at-eol --ignore-space-change --ignore-submodules? --indent-heuristic --inter-hunk-context:
  --irreversible-delete --ita-invisible-in-index --line-prefix: --merge-base --minimal --name-only --name-status
  --no-color --no-color-moved --no-ext-diff --no-indent-heuristic --no-patch --no-prefix --no-relative --no-renames
  --no-textconv --numstat --patch --patch-with-raw --patch-with-stat --patience --pickaxe-all --pickaxe-regex --quiet
  --raw --relative? --rename-empty --shortstat --src-prefix: --stat? --stat-count: --stat-graph-width: --stat-name-width:
  --stat-width: --submodule? --summary --text --unified: --word-diff? --word-diff-regex: --ws-error-highlight:`;

const LOG_OPTIONS = `${DIFF_OPTIONS} -c -E -F -g -h -L: -m -n: -P -t --abbrev-commit --after: --all --all-match --ancestry-path?
  --author: --author-date-order --basic-regexp --before: --bisect --boundary --branches? --cc --cherry --cherry-mark
  --cherry-pick --children --clear-decorations --combined-all-paths --committer: --date: --date-order --decorate?
  --decorate-refs: --decorate-refs-exclude: --dense --diff-merges: --encoding: --exclude: --expand-tabs?
  --extended-regexp --first-parent --fixed-strings --follow --format: --full-diff --full-history --glob: --graph --grep:
  --grep-reflog: --ignore-missing --invert-grep --left-only --left-right --log-size --mailmap --max-count: --max-parents:
  --merge --merges --min-parents: --no-abbrev-commit --no-decorate --no-expand-tabs --no-mailmap --no-max-parents
  --no-merges --no-min-parents --no-notes --no-walk? --not --notes? --oneline --parents --perl-regexp --pretty?
  --reflog --regexp-ignore-case --relative-date --remotes? --remove-empty --reverse --right-only --root
  --show-linear-break? --show-notes? --show-pulls --simplify-by-decoration --simplify-merges --since: --since-as-filter:
  --skip: --source --sparse --tags? --topo-order --until: --use-mailmap --walk-reflogs`;

const SUBCOMMANDS: Readonly<Record<string, Judge>> = {
  status: program(
    `-b -s -u? -v -z --ahead-behind --branch --column? --find-renames? --ignore-submodules? --ignored? --long --no-ahead-behind
    --no-column --no-renames --null --porcelain? --renames --short --show-stash --untracked-files? --verbose`,
  ),
  diff: program(`${DIFF_OPTIONS} --base --cached --no-index --ours --staged --theirs`),
  log: program(LOG_OPTIONS),
  show: program(LOG_OPTIONS),
};

const GIT: Judge = (given) => {
  const [first, ...rest] = given;
  if (first?.kind !== 'literal') return false;
  if (first.text === '--no-pager') return GIT(rest);
  // The help pages open a pager or a browser.
  if (rest.some((argument) => argument.kind === 'literal' && argument.text === '--help')) return false;
  return Object.hasOwn(SUBCOMMANDS, first.text) && SUBCOMMANDS[first.text]?.(rest) === true;
};

export const GIT_PROGRAMS: Readonly<Record<string, Judge>> = { git: GIT };
