// Programs that read text and print it changed, counted or compared.
import type { Argument } from '../arguments.ts';
import { literalTexts } from '../options.ts';
import { anything, program, type Judge, type Programs } from './program.ts';

const CHECKSUM = program(
  `-a: -b -c -l: -t -w -z --algorithm: --base64 --binary --check --debug --ignore-missing --length: --quiet --raw --status --strict
  --tag --text --untagged --warn --zero`,
  { anyWord: true },
);

/** Its options are whole words, come first and are never bundled; a second operand is where it writes to. */
const XXD_FLAG =
  /^-(a|autoskip|b|bits|C|capitalize|d|decimal|e|E|EBCDIC|i|include|p|ps|postscript|plain|r|revert|u|uppercase|v|version|h|help)$/;
const XXD_VALUED = /^-(c|cols|g|groupsize|l|len|n|name|o|offset|s|seek|skip)$/;
const XXD_ATTACHED = /^-[cglos][-+]?(0x)?[\da-fA-F]+$/;

const XXD: Judge = (given) => {
  const words = literalTexts(given.map(nameOfFile)) ?? ['--'];
  let index = 0;
  for (; index < words.length && words[index]?.startsWith('-') === true && words[index] !== '-'; index += 1) {
    const word = words[index] ?? '';
    if (XXD_VALUED.test(word)) index += 1;
    else if (!XXD_FLAG.test(word) && !XXD_ATTACHED.test(word)) return false;
  }
  return words.length - index <= 1;
};

/** One word that starts like a path counts as a name, whatever else is in it. */
function nameOfFile(argument: Argument): Argument {
  return argument.kind === 'value' && /^[\w./]/.test(argument.prefix) ? { kind: 'literal', text: argument.prefix } : argument;
}

export const TEXT_PROGRAMS: Programs = {
  wc: program('-c -m -l -L -w --bytes --chars --files0-from: --lines --max-line-length --words --total:', { anyWord: true }),
  // Not `-o`, `-T` and `--compress-program`.
  sort: program(
    `-b -c -C -d -f -g -h -i -k: -m -M -n -r -R -s -S: -t: -u -V -z --ignore-leading-blanks --dictionary-order --ignore-case
    --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort
    --random-source: --reverse --sort: --version-sort --batch-size: --check? --debug --files0-from: --key: --merge --stable
    --buffer-size: --field-separator: --parallel: --unique --zero-terminated`,
    { takesNext: true },
  ),
  // A second operand is where it writes to.
  uniq: program(
    `-c -d -D -f: -i -s: -u -w: -z --count --repeated --all-repeated? --skip-fields: --group? --ignore-case --skip-chars:
    --unique --check-chars: --zero-terminated`,
    { takesNext: true, maxOperands: 1 },
  ),
  cut: program(
    `-b: -c: -d: -f: -n -s -z --bytes: --characters: --delimiter: --fields: --complement --only-delimited --output-delimiter:
    --zero-terminated`,
    { anyWord: true },
  ),
  tr: program('-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1', { anyWord: true }),
  comm: program('-1 -2 -3 -z --check-order --nocheck-order --output-delimiter: --total --zero-terminated', { anyWord: true }),
  join: program('-1: -2: -a: -e: -i -j: -o: -t: -v: -z --ignore-case --check-order --nocheck-order --header --zero-terminated', {
    anyWord: true,
  }),
  paste: program('-d: -s -z --delimiters: --serial --zero-terminated', { anyWord: true }),
  tac: program('-b -r -s: --before --regex --separator:', { anyWord: true }),
  rev: program('-0 --zero', { anyWord: true }),
  nl: program(
    `-b: -d: -f: -h: -i: -l: -n: -p -s: -v: -w: --body-numbering: --section-delimiter: --footer-numbering: --header-numbering:
    --line-increment: --join-blank-lines: --number-format: --no-renumber --number-separator: --starting-line-number: --number-width:`,
    { anyWord: true },
  ),
  fold: program('-# -b -c -s -w: --bytes --characters --spaces --width:', { anyWord: true }),
  fmt: program('-# -c -g: -p: -s -t -u -w: --crown-margin --goal: --prefix: --split-only --tagged-paragraph --uniform-spacing --width:', {
    anyWord: true,
  }),
  pr: program(
    `-# -a -c -d -D: -e? -f -F -h: -i? -J -l: -m -n? -N: -o: -r -s? -S? -t -T -v -w: -W: --across --columns: --date-format: --double-space
    --expand-tabs? --first-line-number: --form-feed --header: --indent: --join-lines --length: --merge --number-lines?
    --no-file-warnings --omit-header --omit-pagination --page-width: --pages: --separator? --sep-string? --show-control-chars
    --show-nonprinting --width:`,
    { anyWord: true },
  ),
  column: program(
    `-c: -C: -d -e -E: -H: -i: -J -l: -L -n: -N: -o: -O: -p: -r: -R: -s: -S: -t -T: -W: -x --columns: --fillrows --input-separator? --json
    --keep-empty-lines --output-separator: --output-width: --separator: --table --table-columns: --table-columns-limit:
    --table-empty-lines --table-header-repeat --table-hide: --table-name: --table-noextreme: --table-noheadings --table-order:
    --table-right: --table-truncate: --table-wrap: --tree: --tree-id: --tree-parent:`,
    { takesNext: true },
  ),
  expand: program('-# -i -t: --initial --tabs:', { anyWord: true }),
  unexpand: program('-# -a -t: --all --first-only --tabs:', { anyWord: true }),
  tsort: program('', { anyWord: true }),
  shuf: program('-e -i: -n: -r -z --echo --input-range: --head-count: --random-source: --repeat --zero-terminated', { takesNext: true }),
  seq: program('-# -f: -s: -w --equal-width --format: --separator:', { anyWord: true }),
  numfmt: program(
    `-d: -M: -z --debug --delimiter: --field: --format: --from: --from-unit: --grouping --header? --invalid: --padding: --round: --suffix:
    --to: --to-unit: --zero-terminated`,
    { anyWord: true },
  ),
  factor: program('-h --exponents', { anyWord: true }),
  expr: anything,
  bc: program('-c -h -i -l -q -s -v -w --mathlib --quiet --standard --warn --interactive'),
  // Not `-o`, which is where the result goes.
  iconv: program('-c -f: -l -s -t: --from-code: --list --silent --to-code: --verbose'),
  base64: program('-d -D -i -w: --decode --ignore-garbage --wrap:'),
  base32: program('-d -i -w: --decode --ignore-garbage --wrap:'),
  basenc: program(
    '-d -D -i -w: --base16 --base2lsbf --base2msbf --base32 --base32hex --base64 --base64url --decode --ignore-garbage --wrap: --z85',
  ),
  ...Object.fromEntries(
    ['cksum', 'md5sum', 'sha1sum', 'sha224sum', 'sha256sum', 'sha384sum', 'sha512sum', 'b2sum', 'b3sum', 'shasum'].map((name) => [
      name,
      CHECKSUM,
    ]),
  ),
  sum: program('-r -s --sysv', { anyWord: true }),
  xxd: XXD,
  // Not `-l`, which starts another program.
  diff: program(
    `-# -a -b -B -c -C: -d -D: -e -E -f -F: -H -i -I: -n -N -p -P -q -r -s -S: -t -T -u -U: -v -w -W: -x: -X: -y -Z --normal
    --brief --report-identical-files --context? --unified? --ed --rcs --side-by-side --width: --left-column
    --suppress-common-lines --show-c-function --show-function-line: --label: --expand-tabs --initial-tab --tabsize:
    --suppress-blank-empty --recursive --no-dereference --new-file --unidirectional-new-file --ignore-file-name-case
    --no-ignore-file-name-case --exclude: --exclude-from: --starting-file: --from-file: --to-file: --ignore-case
    --ignore-tab-expansion --ignore-trailing-space --ignore-space-change --ignore-all-space --ignore-blank-lines
    --ignore-matching-lines: --text --strip-trailing-cr --ifdef: --line-format: --old-line-format: --new-line-format:
    --unchanged-line-format: --old-group-format: --new-group-format: --unchanged-group-format: --changed-group-format:
    --minimal --horizon-lines: --speed-large-files --color? --palette:`,
    { takesNext: true },
  ),
  // Not `-o` and `--diff-program`.
  sdiff: program(
    `-a -b -B -d -E -H -i -I: -l -s -t -W -w: -Z --expand-tabs --ignore-all-space --ignore-blank-lines --ignore-case
    --ignore-matching-lines: --ignore-space-change --ignore-tab-expansion --ignore-trailing-space --left-column --minimal
    --speed-large-files --strip-trailing-cr --suppress-common-lines --tabsize: --text --width:`,
  ),
  diff3: program(
    `-3 -a -A -e -E -i -L: -m -T -x -X --easy-only --ed --initial-tab --label: --merge --overlap-only --show-all --show-overlap
    --strip-trailing-cr --text`,
  ),
  cmp: program('-b -i: -l -n: -s --print-bytes --ignore-initial: --verbose --bytes: --quiet --silent', { anyWord: true }),
};
