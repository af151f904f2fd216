// Programs that run the words behind their own as another program. Those with options that are not listed here still run
// something, only where it begins is not known.
import type { CommandWord } from '../contract/index.ts';

interface WrapperForm {
  /** Options without a value. */
  readonly flags?: string;
  /** Options whose value is the next word. */
  readonly values?: string;
  /** Words of its own in front of the command. */
  readonly operands?: number;
  /** Takes `NAME=value` in front of the command. */
  readonly assignments?: boolean;
  /** Changes nothing of what the command does, so that a rule that allows the command allows this. */
  readonly plain?: boolean;
}

const WRAPPERS: ReadonlyMap<string, WrapperForm> = new Map(
  Object.entries({
    timeout: {
      flags: '-v -p -f --verbose --foreground --preserve-status',
      values: '-k -s --kill-after --signal',
      operands: 1,
      plain: true,
    },
    time: { flags: '-p -v -q --portability --verbose --quiet', plain: true },
    nice: { values: '-n --adjustment', plain: true },
    nohup: { plain: true },
    stdbuf: { values: '-i -o -e --input --output --error', plain: true },
    command: { flags: '-p', plain: true },
    builtin: { plain: true },
    xargs: { plain: true },
    env: { flags: '-i - -0 --ignore-environment --null', values: '-u -C --unset --chdir', assignments: true },
    exec: { flags: '-c -l', values: '-a' },
    sudo: { flags: '-n -E -H -i -s -b -k -S -A', values: '-u -g -p -C -D -h -r -t -T -U', assignments: true },
    doas: { flags: '-n -s', values: '-u -C' },
    setsid: { flags: '-c -f -w --ctty --fork --wait' },
  } satisfies Record<string, WrapperForm>),
);

const LOADER = /^ld(-\w[\w.-]*)?\.so(\.\d+)*$|^ld-musl-.+\.so\.\d+$/;
/** Programs that start others from somewhere in their words. */
const RUNNERS = new Set(
  [
    'ionice chrt taskset chroot unshare nsenter setarch prlimit flock runuser su ssh strace ltrace gdb valgrind perf watch entr',
    'parallel busybox toybox script unbuffer systemd-run dbus-run-session firejail bwrap proot fakeroot docker podman kubectl',
    'npx pnpx bunx',
  ].flatMap((names) => names.split(' ')),
);

/** Searches that start a program only behind these options. */
const FINDERS = new Set(['find', 'fd', 'fdfind']);
const STARTS_PROGRAM = /^-(exec|ok)(dir)?$|^-[xX]$|^--exec(-batch)?$/;

/** The name of a program without the path in front of it. */
export function programName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

export type Unwrapped =
  /** Runs what its own words say. */
  | { readonly kind: 'program' }
  /** Runs these words, perhaps with more behind them. */
  | { readonly kind: 'wrapper'; readonly inner: readonly CommandWord[]; readonly more: boolean; readonly plain: boolean }
  /** Runs words that begin somewhere among these. */
  | { readonly kind: 'runner'; readonly words: readonly CommandWord[] };

/** @param words the first is the name of the program, as its value says */
export function unwrap(words: readonly CommandWord[]): Unwrapped {
  const name = programName(words[0]?.value ?? '');
  const form = WRAPPERS.get(name);
  if (FINDERS.has(name)) return behindOption(words);
  if (form === undefined) return RUNNERS.has(name) || LOADER.test(name) ? { kind: 'runner', words: words.slice(1) } : { kind: 'program' };
  // `command -v name` looks a name up.
  if (name === 'command' && /^-[pvV]*[vV]/.test(words[1]?.value ?? '')) return { kind: 'program' };
  const start = commandStart(words, form);
  if (start === null) return { kind: 'runner', words: words.slice(1) };
  if (start.at >= words.length) return { kind: 'program' };
  const plain = form.plain === true && (name !== 'xargs' || start.at === 1);
  return { kind: 'wrapper', inner: words.slice(start.at), more: name === 'xargs', plain };
}

function behindOption(words: readonly CommandWord[]): Unwrapped {
  const at = words.findIndex(({ value }) => value !== null && STARTS_PROGRAM.test(value));
  return at === -1 ? { kind: 'program' } : { kind: 'runner', words: words.slice(at + 1) };
}

/** Where the command begins; `null` when that cannot be told. */
function commandStart(words: readonly CommandWord[], form: WrapperForm): { at: number } | null {
  const flags = new Set(form.flags?.split(' '));
  const values = new Set(form.values?.split(' '));
  let at = 1;
  for (; at < words.length; at += 1) {
    const word = words[at]?.value ?? null;
    if (word === null) return null;
    if (word === '--') {
      at += 1;
      break;
    }
    if (values.has(word)) at += 1;
    else if (!word.startsWith('-')) break;
    else if (!flags.has(word) && !hasValueAttached(word, values)) return null;
  }
  for (; form.assignments === true && /^\w+=/.test(words[at]?.value ?? ''); at += 1);
  return { at: at + (form.operands ?? 0) };
}

function hasValueAttached(word: string, values: ReadonlySet<string>): boolean {
  if (word.startsWith('--')) return values.has(word.slice(0, Math.max(word.indexOf('='), 0)));
  return values.has(word.slice(0, 2)) || (values.has('-n') && /^-\d+$/.test(word));
}
