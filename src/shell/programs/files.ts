// Programs that list and show files and directories.
import { anything, program, type ProgramLimits, type Programs } from './program.ts';

const LS = program(
  `-1 -a -A -b -B -c -C -d -f -F -g -G -h -H -i -I: -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -T: -u -U -v -w: -x -X -Z
  --all --almost-all --author --escape --block-size: --ignore-backups --color? --directory --classify? --file-type --format:
  --full-time --group-directories-first --no-group --human-readable --si --dereference --dereference-command-line
  --dereference-command-line-symlink-to-dir --hide: --hyperlink? --indicator-style: --inode --ignore: --kibibytes
  --numeric-uid-gid --literal --hide-control-chars --show-control-chars --quote-name --quoting-style: --reverse --recursive
  --size --sort: --time: --time-style: --tabsize: --width: --context --zero`,
  { anyWord: true },
);

/** The GNU tools for binaries read more options from a file named `@file`, and some of those load plugins. */
const NO_OPTION_FILES: ProgramLimits = {
  accepts: ({ operands }) =>
    operands.every((operand) =>
      operand.kind === 'literal' ? /^[^@]/.test(operand.text) : 'prefix' in operand && /^[^@]/.test(operand.prefix),
    ),
};

export const FILE_PROGRAMS: Programs = {
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
  // Not `-C`, which compiles a magic file, `-m`, which reads one, `-p`, which sets times, and `-z`, which starts decompressors.
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
    { takesNext: true },
  ),
  basename: program('-a -s: -z --multiple --suffix: --zero', { anyWord: true }),
  dirname: program('-z --zero', { anyWord: true }),
  readlink: program(
    `-e -f -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose
    --zero`,
    { anyWord: true },
  ),
  realpath: program(
    `-e -E -L -m -P -q -s -z --canonicalize --canonicalize-existing --canonicalize-missing --logical --physical --quiet
    --relative-to: --relative-base: --strip --no-symlinks --zero`,
    { anyWord: true },
  ),
  pathchk: program('-p -P --portability', { anyWord: true }),
  namei: program('-l -m -n -o -v -x --long --modes --nosymlinks --owners --vertical --mountpoints', { anyWord: true }),
  which: program('-a -s', { anyWord: true }),
  whereis: program('-b -m -s -l'),
  // Not `-o`, and not `-R`, which writes a page into every directory. A letter's value is always the next word.
  tree: program(
    `-a -A -c -C -d -D -f -F -g -h -i -I= -J -l -L= -n -N -p -P= -q -Q -r -s -S -t -u -U -v -x -X --charset: --device --dirsfirst
    --du --fflinks --filelimit: --filesfirst --fromfile --gitignore --ignore-case --info --inodes --matchdirs --metafirst
    --nolinks --noreport --prune --si --sort: --timefmt:`,
  ),
  lsattr: program('-a -d -l -p -R -v -V'),
  getfacl: program('-a -c -d -e -E -n -p -R -s -t -L -P --access --default --omit-header --numeric --recursive --absolute-names'),
  getfattr: program('-d -e: -h -m: -n: -R -L -P --absolute-names --dump --name: --match: --only-values --recursive'),
  strings: program(
    '-# -a -d -e: -f -n: -o -s: -t: -w -U: --all --data --bytes: --encoding: --include-all-whitespace --output-separator: --print-file-name --radix:',
    { anyWord: true },
  ),
  od: program(
    `-a -A: -b -B -c -d -D -e -f -F -h -H -i -I -j: -l -L -N: -o -O -s -S: -t: -v -w? -x -X --address-radix: --endian: --format:
    --output-duplicates --read-bytes: --skip-bytes: --strings? --traditional --width?`,
    { anyWord: true },
  ),
  hexdump: program('-b -c -C -d -e: -f: -n: -o -s: -v -x --canonical --length: --skip: --no-squeezing --format:'),
  hd: program('-b -c -C -d -e: -f: -n: -o -s: -v -x'),
  readelf: program(
    `-a -A -c -C -d -D -e -g -h -I -l -n -p: -r -R: -s -S -t -u -V -W -x: --all --arch-specific --archive-index --demangle? --dyn-syms
    --dynamic --file-header --headers --hex-dump: --histogram --lto-syms --notes --program-headers --relocs --section-groups
    --section-headers --sections --section-details --segments --string-dump: --symbols --syms --unwind --use-dynamic --version-info
    --wide`,
    NO_OPTION_FILES,
  ),
  nm: program(
    `-a -A -B -C -D -f: -g -l -n -o -p -P -r -s -S -t: -u -U -v --debug-syms --defined-only --demangle? --dynamic --extern-only
    --format: --line-numbers --no-demangle --no-sort --numeric-sort --portability --print-armap --print-file-name --print-size
    --radix: --reverse-sort --size-sort --special-syms --synthetic --undefined-only --with-symbol-versions --without-symbol-versions`,
    NO_OPTION_FILES,
  ),
  objdump: program(
    `-a -b: -C -d -D -f -F -h -j: -l -M: -m: -p -P: -r -R -s -S -t -T -w -x -z --all-headers --archive-headers --demangle? --disassemble?
    --disassemble-all --disassembler-options: --dynamic-reloc --dynamic-syms --file-headers --full-contents --headers --no-show-raw-insn
    --private-headers --reloc --section: --section-headers --source --syms --wide`,
    NO_OPTION_FILES,
  ),
  size: program('-A -B -d -f -G -o -t -x --common --format: --radix: --totals', NO_OPTION_FILES),
  look: program('-a -b -d -f -t: --alternative --alphanum --ignore-case --terminate:'),
  pwd: program('-L -P --logical --physical', { anyWord: true }),
  yes: anything,
};
