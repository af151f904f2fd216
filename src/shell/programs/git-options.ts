// Options of git's reading sub-commands. Not among them: `--output`, which writes, `--ext-diff`, `--textconv` and `--filters`,
// which start programs, `--dirty`, which rewrites the index, and what makes git look into submodules, whose own configuration
// nobody has asked for.

export const DIFF_OPTIONS = `-# -0 -a -b -B? -C? -D -G: -i -l: -M? -O: -p -q -R -s -S: -u -U: -w -W -X? -z --abbrev? --anchored: --binary --check
  --color? --color-moved? --color-moved-ws: --color-words? --compact-summary --cumulative --default-prefix --diff-algorithm:
  --diff-filter: --dirstat? --dirstat-by-file? --dst-prefix: --exit-code --find-copies? --find-copies-harder --find-object:
  --find-renames? --full-index --function-context --histogram --ignore-all-space --ignore-blank-lines --ignore-cr-at-eol
  --ignore-matching-lines: --ignore-space-at-eol --ignore-space-change --ignore-submodules --indent-heuristic
  --inter-hunk-context: --irreversible-delete --ita-invisible-in-index --line-prefix: --merge-base --minimal --name-only
  --name-status --no-color --no-color-moved --no-ext-diff --no-indent-heuristic --no-patch --no-prefix --no-relative --no-renames
  --no-textconv --numstat --patch --patch-with-raw --patch-with-stat --patience --pickaxe-all --pickaxe-regex --quiet
  --raw --relative? --rename-empty --shortstat --src-prefix: --stat? --stat-count: --stat-graph-width: --stat-name-width:
  --stat-width: --summary --text --unified: --word-diff? --word-diff-regex: --ws-error-highlight:`;

export const LOG_OPTIONS = `${DIFF_OPTIONS} -c -E -F -g -h -L: -m -n: -P -r -t --abbrev-commit --after: --all --all-match --always
  --ancestry-path? --author: --author-date-order --basic-regexp --before: --bisect --boundary --branches? --cc --cherry
  --cherry-mark --cherry-pick --children --clear-decorations --combined-all-paths --committer: --date: --date-order --decorate?
  --decorate-refs: --decorate-refs-exclude: --dense --diff-merges: --encoding: --exclude: --expand-tabs? --extended-regexp
  --first-parent --fixed-strings --follow --format: --full-diff --full-history --glob: --graph --grep: --grep-reflog:
  --ignore-missing --invert-grep --left-only --left-right --log-size --mailmap --max-count: --max-parents: --merge --merges
  --min-parents: --no-abbrev --no-abbrev-commit --no-commit-id --no-decorate --no-diff-merges --no-expand-tabs --no-mailmap
  --no-max-parents --no-merges --no-min-parents --no-notes --no-walk? --not --notes? --oneline --parents --perl-regexp --pretty?
  --reflog --regexp-ignore-case --relative-date --remotes? --remove-empty --reverse --right-only --root --show-linear-break?
  --show-notes? --show-pulls --simplify-by-decoration --simplify-merges --since: --since-as-filter: --skip: --source --sparse
  --stdin --tags? --topo-order --until: --use-mailmap --walk-reflogs`;

export const REV_LIST_OPTIONS = `${LOG_OPTIONS} --count --disk-usage? --filter: --header --in-commit-order --max-age: --min-age: --no-commit-header
  --no-object-names --object-names --objects --objects-edge --timestamp --unpacked`;

export const STATUS_OPTIONS = `-b -s -u? -v -z --ahead-behind --branch --column? --find-renames? --ignore-submodules --ignored? --long
  --no-ahead-behind --no-column --no-renames --null --porcelain? --renames --short --show-stash --untracked-files? --verbose`;

export const GREP_OPTIONS = `-# -a -A: -B: -c -C: -e: -E -f: -F -G -h -H -i -I -l -L -m: -n -o -p -P -q -r -v -w -W -z --after-context: --all-match
  --and --basic-regexp --before-context: --break --cached --color? --column --context: --count --exclude-standard
  --extended-regexp --files-with-matches --files-without-match --fixed-strings --full-name --function-context --heading
  --ignore-case --invert-match --line-number --max-count: --max-depth: --name-only --no-color --no-exclude-standard --no-index
  --no-textconv --not --null --only-matching --or --perl-regexp --quiet --recursive --show-function --text --threads: --untracked
  --word-regexp`;

export const BLAME_OPTIONS = `-b -c -C? -e -f -l -L: -M? -n -p -s -S: -t -w --abbrev? --color-by-age --color-lines --contents: --date: --encoding:
  --first-parent --ignore-rev: --ignore-revs-file: --incremental --line-porcelain --minimal --no-progress --porcelain --reverse
  --root --score-debug --show-email --show-name --show-number --show-stats --since:`;

export const LS_FILES_OPTIONS = `-c -d -f -i -k -m -o -r -s -t -u -v -x: -X: -z --abbrev? --cached --debug --deduplicate --deleted --directory --eol
  --error-unmatch --exclude: --exclude-from: --exclude-per-directory: --exclude-standard --format: --full-name --ignored --killed
  --modified --no-empty-directory --others --resolve-undo --sparse --stage --unmerged --with-tree:`;

/** Options by which `branch`, `tag` and `for-each-ref` choose and show what they list. */
export const REF_LIST_OPTIONS = `-i --color? --contains? --format: --ignore-case --merged? --no-color --no-contains? --no-merged? --omit-empty
  --points-at: --sort:`;

export const REV_PARSE_OPTIONS = `-# -q --abbrev-ref? --absolute-git-dir --after: --all --before: --bisect --branches? --default: --disambiguate:
  --exclude: --flags --git-common-dir --git-dir --git-path: --glob: --is-bare-repository --is-inside-git-dir --is-inside-work-tree
  --is-shallow-repository --local-env-vars --no-flags --no-revs --not --path-format: --prefix: --quiet --remotes? --revs-only
  --shared-index-path --short? --show-cdup --show-object-format? --show-prefix --show-ref-format --show-superproject-working-tree
  --show-toplevel --since: --sq --symbolic --symbolic-full-name --tags? --until: --verify`;

export const CONFIG_OPTIONS = `-f: -l -z --all --blob: --bool --bool-or-int --default: --expiry-date --file: --get --get-all --get-color --get-colorbool
  --get-regexp --get-urlmatch --global --includes --int --list --local --name-only --no-includes --null --path --show-names
  --show-origin --show-scope --system --type: --worktree`;
