// Programs that list and show files and directories.
import { program, type Judge } from './program.ts';

const LS = program(
  `-1 -a -A -b -B -c -C -d -f -F -g -G -h -H -i -I: -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -T: -u -U -v -w: -x -X -Z
  --all --almost-all --author --escape --block-size: --ignore-backups --color? --directory --classify? --file-type --format:
  --full-time --group-directories-first --no-group --human-readable --si --dereference --dereference-command-line
  --dereference-command-line-symlink-to-dir --hide: --hyperlink? --indicator-style: --inode --ignore: --kibibytes
  --numeric-uid-gid --literal --hide-control-chars --show-control-chars --quote-name --quoting-style: --reverse --recursive
  --size --sort: --time: --time-style: --tabsize: --width: --context --zero`,
  { anyWord: true },
);

export const FILE_PROGRAMS: Readonly<Record<string, Judge>> = {
  ls: LS,
  dir: LS,
  vdir: LS,
  cat: program(
    '-A -b -e -E -n -s -t -T -u -v --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting',
    { anyWord: true },
  ),
  head: program('-# -c: -n: -q -v -z --bytes: --lines: --quiet --silent --verbose --zero-terminated', { anyWord: true }),
  tail: program(
    `-# -c: -f -F -n: -q -s: -v -z --bytes: --follow? --lines: --max-unchanged-stats: --pid: --quiet --silent --retry
    --sleep-interval: --verbose --zero-terminated`,
    { anyWord: true },
  ),
  // Not `-C`, which compiles a magic file, `-p`, which sets times, and `-z`, which starts decompressors.
  file: program(
    `-0 -b -e: -f: -F: -h -i -k -L -n -N -P: -r -s -v --brief --exclude: --files-from: --separator: --no-dereference --mime
    --mime-type --mime-encoding --extension --keep-going --dereference --no-buffer --no-pad --parameter: --raw --special-files
    --print0`,
  ),
  stat: program('-c: -f -L -t --format: --printf: --terse --file-system --dereference --cached:', { anyWord: true }),
  du: program(
    `-0 -a -b -B: -c -d: -D -h -H -k -l -L -m -P -s -S -t: -x -X: --all --apparent-size --block-size: --bytes --total
    --dereference --dereference-args --max-depth: --files0-from: --human-readable --inodes --count-links --null
    --no-dereference --separate-dirs --si --summarize --threshold: --time? --time-style: --exclude: --exclude-from:
    --one-file-system`,
    { anyWord: true },
  ),
  df: program(
    `-a -B: -h -H -i -k -l -P -t: -T -x: --all --block-size: --human-readable --si --inodes --local --no-sync --output?
    --portability --total --type: --print-type --exclude-type:`,
  ),
  basename: program('-a -s: -z --multiple --suffix: --zero', { anyWord: true }),
  dirname: program('-z --zero', { anyWord: true }),
  which: program('-a -s', { anyWord: true }),
};
