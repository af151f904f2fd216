// Archives are listed, tested or unpacked to standard output. Which mode counts when several are given differs between
// programs, so that one that unpacks in place is accepted only beside one that sends everything to standard output.
import { exactly, has, program, type Judge, type Programs } from './program.ts';

/** A name with a colon makes tar start a remote shell. */
const TAR_LISTING = program(
  `-t -v -f: -z -j -J -a -Z -h -R --list --verbose --file: --gzip --gunzip --ungzip --bzip2 --xz --zstd --lzma --auto-compress
  --block-number --exclude: --full-time --utc --wildcards --no-wildcards --force-local --null --quoting-style: --numeric-owner
  --show-stored-names --strip-components: --totals?`,
  {
    needs: '-t --list --help --version',
    accepts: ({ options }) =>
      options.every(({ name, value }) => !['-f', '--file'].includes(name) || (value?.kind === 'literal' && !value.text.includes(':'))),
  },
);

const TAR: Judge = (given, judgeCommand) => {
  const [first, ...rest] = given;
  if (first?.kind !== 'literal' || first.text.startsWith('-')) return TAR_LISTING(given, judgeCommand);
  // The old form: letters without a dash, whose values follow in their order. With one value it is the new form with a dash.
  if (!/^[tvzjJaZ]+f?$/.test(first.text)) return false;
  return TAR_LISTING([{ kind: 'literal', text: `-${first.text}` }, ...rest], judgeCommand);
};

function compressor(
  options: string,
  { showing, unpacking, toOutput }: Readonly<Record<'showing' | 'unpacking' | 'toOutput', string>>,
): Judge {
  const modes = `${showing} ${unpacking} ${toOutput}`;
  return program(`${options} ${modes}`, {
    needs: `${showing} ${toOutput} --help --version`,
    accepts: (matched) => !has(matched, unpacking.split(' ')) || has(matched, toOutput.split(' ')),
  });
}

const UNPACKING = '-d --decompress --uncompress';
const TO_OUTPUT = '-c --stdout --to-stdout';
const GZIP = compressor('-# -f -k -N -n -q -v --keep --force --name --no-name --quiet --verbose --fast --best', {
  showing: '-l -t --list --test',
  unpacking: UNPACKING,
  toOutput: TO_OUTPUT,
});
const BZIP2 = compressor('-# -f -k -q -s -v --keep --force --quiet --small --verbose --fast --best', {
  showing: '-t --test',
  unpacking: UNPACKING,
  toOutput: TO_OUTPUT,
});
const XZ = compressor(
  '-# -e -f -k -q -v -T: -M: --extreme --force --quiet --verbose --robot --threads: --memlimit: --no-warn --ignore-check --single-stream',
  {
    showing: '-l -t --list --test',
    unpacking: UNPACKING,
    toOutput: TO_OUTPUT,
  },
);
// Not `-T` and `-M`: further options may follow the number in the same word.
const ZSTD = compressor('-# -f -k -q -v --keep --force --quiet --verbose --no-progress', {
  showing: '-l -t --list --test',
  unpacking: UNPACKING,
  toOutput: '-c --stdout',
});
const TO_STANDARD_OUTPUT = program('-f -q -v --force --quiet --verbose --help --version');
const SEVEN_ZIP: Judge = (given, judgeCommand) =>
  given[0]?.kind === 'literal' && /^[lt]$/.test(given[0].text) && program('')(given.slice(1), judgeCommand);

/** To these programs `--` is no end of options: each further dash takes an option back. */
function withoutNegation(judge: Judge): Judge {
  return (given, judgeCommand) =>
    !given.some((argument) => argument.kind === 'literal' && argument.text.startsWith('--')) && judge(given, judgeCommand);
}

/** Behind the archive stand names in it, also if they look like options. */
const UNZIP = withoutNegation(program('-1 -2 -l -v -p -c -t -z -Z -q -C -a', { operandsLast: true, needs: '-l -v -p -c -t -z -Z' }));

export const ARCHIVE_PROGRAMS: Programs = {
  tar: TAR,
  gtar: TAR,
  unzip: UNZIP,
  zipinfo: withoutNegation(program('-1 -2 -s -m -l -v -h -t -T -z -C', { operandsLast: true })),
  '7z': SEVEN_ZIP,
  '7za': SEVEN_ZIP,
  '7zr': SEVEN_ZIP,
  gzip: GZIP,
  gunzip: GZIP,
  bzip2: BZIP2,
  bunzip2: BZIP2,
  xz: XZ,
  unxz: XZ,
  zstd: ZSTD,
  unzstd: ZSTD,
  ...Object.fromEntries(['zcat', 'gzcat', 'bzcat', 'xzcat', 'lzcat', 'zstdcat'].map((name) => [name, TO_STANDARD_OUTPUT])),
  ar: (given, judgeCommand) =>
    given[0]?.kind === 'literal' &&
    (exactly('--version')(given, judgeCommand) ||
      (/^-?[tp]v?$/.test(given[0].text) &&
        given.slice(1).every((argument) => argument.kind === 'literal' && /^[\w./]/.test(argument.text)))),
};
