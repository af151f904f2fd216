// Programs that search in files.
import { program, type Programs } from './program.ts';

const GREP = program(
  `-# -a -A: -b -B: -c -C: -d: -D: -e: -E -f: -F -G -h -H -i -I -l -L -m: -n -o -P -q -r -R -s -T -U -v -w -x -y -z -Z
  --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp: --file: --ignore-case --no-ignore-case
  --word-regexp --line-regexp --null-data --no-messages --invert-match --max-count: --byte-offset --line-number
  --line-buffered --with-filename --no-filename --label: --only-matching --quiet --silent --binary-files: --text
  --directories: --devices: --recursive --dereference-recursive --include: --exclude: --exclude-from: --exclude-dir:
  --files-without-match --files-with-matches --count --initial-tab --null --before-context: --after-context: --context?
  --group-separator: --no-group-separator --color? --colour? --binary`,
  { anyWord: true },
);

// Not `--pre`, `--search-zip` and `--hostname-bin`, which start programs.
const RIPGREP = program(
  `-. -0 -a -A: -b -B: -c -C: -d: -e: -E: -f: -F -g: -h -H -i -I -j: -l -L -m: -M: -n -N -o -p -P -q -r: -s -S -t: -T: -u -U
  -v -V -w -x --after-context: --auto-hybrid-regex --before-context: --binary --block-buffered --byte-offset
  --case-sensitive --color: --colors: --column --context: --context-separator: --count --count-matches --crlf --debug
  --dfa-size-limit: --encoding: --engine: --field-context-separator: --field-match-separator: --file: --files
  --files-with-matches --files-without-match --fixed-strings --follow --glob: --glob-case-insensitive --heading --hidden
  --iglob: --ignore-case --ignore-file: --ignore-file-case-insensitive --include-zero --invert-match --json
  --line-buffered --line-number --line-regexp --max-columns: --max-columns-preview --max-count: --max-depth:
  --max-filesize: --mmap --multiline --multiline-dotall --no-config --no-context-separator --no-encoding --no-filename
  --no-heading --no-hidden --no-ignore --no-ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-global
  --no-ignore-messages --no-ignore-parent --no-ignore-vcs --no-line-number --no-messages --no-mmap --no-require-git
  --no-unicode --null --null-data --one-file-system --only-matching --passthru --path-separator: --pcre2
  --pcre2-version --pretty --quiet --regex-size-limit: --regexp: --replace: --smart-case --sort: --sortr: --stats
  --stop-on-nonmatch --text --threads: --trace --trim --type: --type-add: --type-clear: --type-list --type-not:
  --unrestricted --vimgrep --with-filename --word-regexp`,
  { takesNext: true },
);

// Not `-x`, `-X` and `-l`, which start programs.
const FD = program(
  `-0 -1 -a -c: -d: -e: -E: -F -g -H -i -I -j: -L -p -q -s -S: -t: -u --absolute-path --and: --base-directory: --case-sensitive
  --changed-after: --changed-before: --changed-within: --color: --exact-depth: --exclude: --extension: --fixed-strings --follow
  --full-path --glob --has-results --hidden --ignore-case --ignore-file: --max-depth: --max-results: --min-depth: --newer: --no-follow
  --no-hidden --no-ignore --no-ignore-parent --no-ignore-vcs --no-require-git --older: --one-file-system --owner: --path-separator:
  --print0 --prune --quiet --regex --relative-path --search-path: --show-errors --size: --strip-cwd-prefix? --threads: --type:
  --unrestricted`,
);

// Not `--pager`, and not `-z`, which unpacks.
const AG = program(
  `-# -a -A: -B: -c -C: -D -f -F -g: -G: -h -H -i -l -L -m: -n -o -p: -Q -r -R -s -S -t -u -U -v -V -w --ackmate --after? --all-text
  --all-types --before? --break --case-sensitive --color --column --context? --count --debug --depth: --filename --files-with-matches
  --files-without-matches --fixed-strings --follow --group --heading --hidden --ignore: --ignore-case --ignore-dir: --invert-match
  --line-numbers --literal --max-count: --no-break --no-color --no-filename --no-group --no-heading --no-numbers --no-recurse --null
  --nobreak --nocolor --nofilename --nogroup --noheading --nonumbers --norecurse --numbers --one-device --only-matching --parallel
  --path-to-ignore: --print-long-lines --recurse --search-binary --silent --skip-vcs-ignores --smart-case --stats --stats-only
  --unrestricted --vimgrep --width: --word-regexp`,
);

const LOCATE = program(
  `-0 -A -b -c -e -i -l: -n: -N -p -q -r: -w --all --basename --count --existing --ignore-case --ignore-spaces --limit: --literal --null
  --regex --regexp: --transliterate --wholename`,
);

// Not `--pager` and `--paging`, which its configuration may hold as well; `bat cache` manages its cache.
const BAT = program(
  `-A -f -H: -l: -L -m: -n -p -P -r: -S -u --chop-long-lines --color: --decorations: --file-name: --force-colorization
  --highlight-line: --italic-text: --language: --line-range: --list-languages --list-themes --map-syntax: --nonprintable-notation:
  --no-config --number --plain --show-all --style: --tabs: --terminal-width: --theme: --unbuffered --wrap:`,
  { needs: '--no-config', accepts: ({ operands }) => operands.every((operand) => operand.kind === 'literal' && operand.text !== 'cache') },
);

// None of its options does more than read.
const JQ = program(
  `-a -c -C -e -f= -h -j -L: -M -n -r -R -s -S -V --arg:: --argjson:: --args --argfile:: --ascii-output --binary --color-output
  --compact-output --exit-status --from-file= --indent= --join-output --jsonargs --library-path= --monochrome-output --null-input
  --rawfile:: --raw-input --raw-output --raw-output0 --seq --slurp --slurpfile:: --sort-keys --stream --stream-errors --tab --unbuffered`,
  { anyWord: true },
);

export const SEARCH_PROGRAMS: Programs = {
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  rg: RIPGREP,
  fd: FD,
  fdfind: FD,
  ag: AG,
  locate: LOCATE,
  plocate: LOCATE,
  bat: BAT,
  batcat: BAT,
  jq: JQ,
};
