// Programs that tell about the machine, its processes and its people.
import { literalTexts } from '../options.ts';
import { anyOf, exactly, program, type Judge, type Programs } from './program.ts';

const PS_WORD = /^-{0,2}[\w,:=%.+-]*$/;
/** A word with an `e` behind letters that take no value: in one of the styles it shows the environment of processes. */
const PS_ENVIRONMENT = /^-?[A-Za-jl-nrsu-z]*[eE]/;
/** Words that take no value in any style, or the same one in each. */
const PS_FLAGS = /^-?[aAcdfFhHjlLmrTvwxZ]+$/;
const PS_COLUMNS = /^-?[aAcdfFhHjlLmrTvwxZ]*o$/;
/** Every process by `-e`, in lines that make sense as they are. */
const PS_EVERYTHING = /^-e([fFlLHjw]*|L?o [\w,:=%]+)( --(sort=[\w,%+-]+|no-headers|forest))*$/;

/** Options of `ps` come in three styles; a line that makes no sense in one is read again in another. */
const PS: Judge = (given) => {
  const words = literalTexts(given);
  if (words?.every((word) => PS_WORD.test(word) && !/environ/i.test(word)) !== true) return false;
  let start = 0;
  for (let word = words[0] ?? ''; PS_FLAGS.test(word) || PS_COLUMNS.test(word); word = words[start] ?? '') {
    start += PS_COLUMNS.test(word) ? 2 : 1;
  }
  return PS_EVERYTHING.test(words.join(' ')) || words.slice(start).every((word) => word.startsWith('--') || !PS_ENVIRONMENT.test(word));
};

/** Objects of `ip` that are shown when nothing, or only `show` and a device, follows them. */
const IP_SHOWS =
  /^(-(4|6|br|brief|o|s|j|p|d|c|color|json|details|stats|oneline) )*(a|addr|address|l|link|r|route|n|neigh|rule|maddr)( (show|list|ls)( (dev )?[\w.@-]+)?)?$/;
const IP: Judge = (given) => IP_SHOWS.test(literalTexts(given)?.join(' ') ?? '');

/** Not the databases that ask name servers. */
const GETENT: Judge = (given) =>
  /^(passwd|group|services|protocols|shells|shadow|rpc)( [\w.-]+)*$/.test(literalTexts(given)?.join(' ') ?? '');

const PGREP_OPTIONS = `-a -c -d: -f -g: -G: -i -l -n -o -P: -r: -s: -t: -u: -U: -v -w -x -A --list-full --count --delimiter: --full --group:
  --ignore-case --list-name --newest --oldest --parent: --runstates: --session: --terminal: --euid: --uid: --inverse --lightweight --exact
  --ns: --nslist:`;

export const SYSTEM_PROGRAMS: Programs = {
  arch: program(''),
  uname: program(
    `-a -s -n -r -v -m -p -i -o --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor
    --hardware-platform --operating-system`,
  ),
  id: program('-a -g -G -n -r -u -z --group --groups --name --real --user --zero', { anyWord: true }),
  whoami: program(''),
  logname: program(''),
  groups: program('', { anyWord: true }),
  users: program('', { maxOperands: 0 }),
  // An operand would set the name. Not `-F` and not what asks name servers.
  hostname: program('-I -s --all-ip-addresses --short', { maxOperands: 0 }),
  nproc: program('--all --ignore:'),
  free: program(
    '-b -c: -g -h -k -l -L -m -s: -t -v -w --bytes --count: --giga --gibi --human --kilo --kibi --lohi --mega --mebi --seconds: --si --tera --total --wide',
  ),
  uptime: program('-p -s -c --pretty --since --container'),
  ps: PS,
  pgrep: program(PGREP_OPTIONS),
  pidof: program('-c -n -o: -q -s -S: -x -z -d:'),
  pstree: program('-a -A -c -C: -g -G -h -H: -l -n -N: -p -s -S -t -T -u -U -V -Z'),
  vmstat: program(
    '-a -d -D -f -m -n -p: -s -S: -t -w --active --disk --disk-sum --forks --slabs --one-header --partition: --stats --unit: --timestamp --wide',
  ),
  tty: program('-s --silent --quiet'),
  who: program(
    '-a -b -d -H -l -m -p -q -r -s -t -T -u -w --all --boot --count --dead --heading --login --message --mesg --process --runlevel --short --time --users --writable',
  ),
  w: program('-f -h -i -o -s -u --from --ip-addr --no-header --no-current --old-style --short'),
  // Not `-d`, which asks name servers.
  last: program(
    '-# -a -f: -F -i -n: -p: -R -s: -t: -w -x --file: --fullnames --fulltimes --hostlast --ip --limit: --nohostname --present: --since: --system --time-format: --until:',
  ),
  lscpu: program('-a -b -B -c -C? -e? -J -p? -x -y --all --bytes --caches? --extended? --json --offline --online --parse? --physical'),
  lsblk: program(
    '-a -b -d -D -e: -f -I: -i -J -l -m -M -n -N -o: -O -p -P -r -s -S -t -T? -v -x: -z --all --ascii --bytes --fs --json --list --nodeps --noheadings --output: --output-all --paths --perms --raw --sort: --topology',
  ),
  lsmod: program('', { maxOperands: 0 }),
  lsns: program('-J -l -n -o: -p: -r -t: -u -W --json --list --noheadings --output: --task: --raw --type: --notruncate'),
  findmnt: program(
    '-A -a -b -c -D -e -f -i -J -k -l -m -n -o: -O: -R -r -S: -s -T: -t: -u -U -v --all --df --first-only --fstab --json --kernel --list --mtab --noheadings --output: --raw --real --source: --target: --types:',
  ),
  mount: program('-l -t: -v --show-labels --types:', { maxOperands: 0 }),
  getconf: program('-a -v:'),
  getent: GETENT,
  locale: program('-a -c -k -m -v --all-locales --category-name --charmaps --keyword-name --verbose'),
  cal: program(
    '-1 -3 -A: -B: -h -j -m -n: -s -w? -y -Y --columns: --iso --julian --monday --months: --one --reform: --span --sunday --three --twelve --week? --year',
  ),
  ncal: program('-1 -3 -A: -b -B: -C -d: -e -h -H: -J -j -m: -M -o -p -s: -S -w -y'),
  printenv: program('-0 --null', { anyWord: true }),
  tput: exactly('cols', 'lines', 'colors', 'longname', '-V'),
  stty: exactly('-a', '-g', 'size', 'speed', '--all', '--save'),
  dmesg: program(
    '-d -e -f: -k -l: -L? -p -P -r -S -t -T -u -w -W -x --color? --ctime --decode --delta --facility: --kernel --level: --nopager --noescape --raw --reltime --since: --time-format: --until: --userspace --follow',
  ),
  sysctl: program('-a -A -b -e -n -N -q -r: --all --binary --ignore --names --pattern: --quiet --values', {
    accepts: ({ operands }) => operands.every((operand) => operand.kind === 'literal' && !operand.text.includes('=')),
  }),
  ss: program(
    '-0 -4 -6 -a -b -d -e -E -f: -h -H -i -l -m -M -n -o -O -p -s -S -t -T -u -w -x -Z --all --extended --family: --info --listening --memory --no-header --numeric --oneline --options --processes --summary --tcp --udp --unix',
    { maxOperands: 0 },
  ),
  netstat: program(
    '-4 -6 -a -e -g -i -l -n -o -p -r -s -t -u -v -w -W -x --all --extend --interfaces --listening --numeric --program --route --statistics --tcp --udp --unix --wide',
    {
      needs: '-n --numeric',
      maxOperands: 0,
    },
  ),
  ip: IP,
  ifconfig: exactly('', '-a', '-s'),
  lsb_release: program('-a -c -d -i -r -s -v --all --codename --description --id --release --short'),
  ldconfig: exactly('-p', '-N -X -p', '--version'),
  crontab: exactly('-l'),
  dpkg: anyOf(
    exactly('--print-architecture', '--print-foreign-architectures'),
    program('-l -L -s -S -p --get-selections --list --listfiles --search --status', {
      needs: '-l -L -s -S -p --get-selections --list --listfiles --search --status',
    }),
  ),
  'dpkg-query': program('-f: -l -L -s -S -W --list --listfiles --search --show --showformat: --status', {
    needs: '-l -L -s -S -W --list --listfiles --search --show --status',
  }),
};
