// Programs that read text and print it changed, counted or compared.
import { program, type Judge } from './program.ts';

export const TEXT_PROGRAMS: Readonly<Record<string, Judge>> = {
  wc: program('-c -m -l -L -w --bytes --chars --files0-from: --lines --max-line-length --words --total:', { anyWord: true }),
  // Not `-o`, `-T` and `--compress-program`.
  sort: program(
    `-b -c -C -d -f -g -h -i -k: -m -M -n -r -R -s -S: -t: -u -V -z --ignore-leading-blanks --dictionary-order --ignore-case
    --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort
    --random-source: --reverse --sort: --version-sort --batch-size: --check? --debug --files0-from: --key: --merge --stable
    --buffer-size: --field-separator: --parallel: --unique --zero-terminated`,
  ),
  // A second operand is where it writes to.
  uniq: program(
    `-c -d -D -f: -i -s: -u -w: -z --count --repeated --all-repeated? --skip-fields: --group? --ignore-case --skip-chars:
    --unique --check-chars: --zero-terminated`,
    { maxOperands: 1 },
  ),
  cut: program(
    `-b: -c: -d: -f: -n -s -z --bytes: --characters: --delimiter: --fields: --complement --only-delimited --output-delimiter:
    --zero-terminated`,
    { anyWord: true },
  ),
  tr: program('-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1', { anyWord: true }),
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
  ),
  cmp: program('-b -i: -l -n: -s --print-bytes --ignore-initial: --verbose --bytes: --quiet --silent', { anyWord: true }),
};
