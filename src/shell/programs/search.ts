// Programs that search in files and for files.
import type { Argument } from '../arguments.ts';
import { cannotBeOption } from '../options.ts';
import { program, type Judge } from './program.ts';

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
);

/** Tests and actions of `find` that only read, with the number of words that follow. */
const FIND_EXPRESSIONS: Readonly<Record<string, number>> = Object.fromEntries([
  ...`( ) ! , -H -L -P -a -and -o -or -not -true -false -empty -depth -d -daystart -follow -mount -xdev -noleaf -ignore_readdir_race
  -noignore_readdir_race -warn -nowarn -executable -readable -writable -nouser -nogroup -prune -quit -print -print0 -ls`
    .split(/\s+/)
    .map((name): [string, number] => [name, 0]),
  ...`-D -regextype -maxdepth -mindepth -amin -anewer -atime -cmin -cnewer -ctime -mmin -mtime -newer -fstype -gid -group -uid -user
  -ilname -iname -inum -ipath -iregex -iwholename -links -lname -name -path -perm -regex -samefile -size -type -used
  -wholename -xtype -context -printf`
    .split(/\s+/)
    .map((name): [string, number] => [name, 1]),
]);

const FIND: Judge = (given) => {
  for (let index = 0; index < given.length; index += 1) {
    const argument = given[index];
    if (argument === undefined) break;
    const values = valuesAfter(argument);
    if (values === null || !given.slice(index + 1, index + 1 + values).every(isOneWord)) return false;
    index += values;
  }
  return true;
};

/** How many words belong to this one: 0 for a path; `null` when it may be more than a test. */
function valuesAfter(argument: Argument): number | null {
  if (argument.kind === 'literal') {
    if (Object.hasOwn(FIND_EXPRESSIONS, argument.text)) return FIND_EXPRESSIONS[argument.text] ?? null;
    if (/^-(newer[aBcm][aBcmt]|O[0-3])$/.test(argument.text)) return argument.text.startsWith('-O') ? 0 : 1;
    if (argument.text === '--help' || argument.text === '--version') return 0;
  }
  return cannotBeOption(argument) && !isOperator(argument) ? 0 : null;
}

function isOperator(argument: Argument): boolean {
  return 'prefix' in argument && /^[(),!]/.test(argument.prefix);
}

function isOneWord(argument: Argument): boolean {
  return argument.kind === 'literal' || argument.kind === 'value';
}

export const SEARCH_PROGRAMS: Readonly<Record<string, Judge>> = { grep: GREP, egrep: GREP, fgrep: GREP, rg: RIPGREP, find: FIND };
