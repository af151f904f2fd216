// Programs that run the words behind their own as another program. Those with options that are not listed here still run
// something, only where it begins is not known.
import type { CommandWord } from '../../contract/index.ts';
import { isRunner } from './runners.ts';

interface WrapperForm {
  /** Options without a value. */
  readonly flags?: string;
  /** Options whose value is the next word. */
  readonly values?: string;
  /** Options that may have a value attached. */
  readonly attached?: string;
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
    xargs: {
      flags: '-0 -r -t -p -x -o --null --no-run-if-empty --verbose --interactive --exit --open-tty',
      values: '-a -d -E -I -L -n -P -s --arg-file --delimiter --max-args --max-procs --max-chars --process-slot-var',
      attached: '-i -e -l --replace --eof --max-lines',
      plain: true,
    },
    env: { flags: '-i - -0 -v --ignore-environment --null --debug', values: '-u -C --unset --chdir', assignments: true },
    exec: { flags: '-c -l', values: '-a' },
    sudo: { flags: '-n -E -H -i -s -b -k -S -A', values: '-u -g -p -C -D -h -r -t -T -U', assignments: true },
    doas: { flags: '-n -s', values: '-u -C' },
    setsid: { flags: '-c -f -w --ctty --fork --wait' },
  } satisfies Record<string, WrapperForm>),
);

/** Searches, with the options behind which alone they start a program, up to a `;` or `+`. For fd its name may be attached. */
const FINDERS: ReadonlyMap<string, RegExp> = new Map([
  ['find', /^-(exec|ok)(dir)?$/],
  ...['fd', 'fdfind'].map((name) => [name, /^(?:-[a-zA-Z0-9]*?[xX]=?|--exec(?:-batch)?(?:=|$))/] as const),
]);

/** Set of a search: the options that start a program. */
export function startsProgram(name: string): RegExp | undefined {
  return FINDERS.get(name);
}

/** The name of a program without the path in front of it. */
export function programName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

export type Unwrapped =
  /** Runs what its own words say. */
  | { readonly kind: 'program' }
  | Wrapper
  /** Runs words that begin somewhere among these. */
  | { readonly kind: 'runner'; readonly words: readonly CommandWord[]; readonly more: boolean }
  /** Runs each of these. */
  | { readonly kind: 'starter'; readonly commands: readonly (readonly CommandWord[])[] };

/** Runs these words. */
interface Wrapper {
  readonly kind: 'wrapper';
  /** Empty when what it runs stands in no line. */
  readonly inner: readonly CommandWord[];
  /** Perhaps with more behind them. */
  readonly more: boolean;
  readonly plain: boolean;
  /** What stands in them for a text that is not known. */
  readonly placeholder?: string;
}

/** @param words the first is the name of the program, as its value says */
export function unwrap(words: readonly CommandWord[]): Unwrapped {
  const name = programName(words[0]?.value ?? '');
  const form = WRAPPERS.get(name);
  const starts = startsProgram(name);
  if (starts !== undefined) return startedBy(words, starts);
  const more = name === 'xargs';
  if (form === undefined) return isRunner(name, words) ? { kind: 'runner', words: words.slice(1), more } : { kind: 'program' };
  // `command -v name` looks a name up.
  if (name === 'command' && /^-[pvV]*[vV]/.test(words[1]?.value ?? '')) return { kind: 'program' };
  const start = commandStart(words, form);
  if (start === null) return { kind: 'runner', words: words.slice(1), more };
  const plain = form.plain === true && (!more || start.at === 1);
  const wrapper: Wrapper = { kind: 'wrapper', inner: words.slice(start.at), more, plain };
  const placeholder = more ? placeholderIn(words.slice(1, start.at)) : undefined;
  return placeholder === undefined ? wrapper : { ...wrapper, placeholder };
}

function startedBy(words: readonly CommandWord[], starts: RegExp): Unwrapped {
  const commands: CommandWord[][] = [];
  let open: CommandWord[] | undefined;
  for (const word of words.slice(1)) {
    const { value } = word;
    if (open === undefined && value !== null && starts.test(value)) {
      const attached = value.replace(starts, '');
      commands.push((open = attached === '' ? [] : [{ value: attached, written: attached }]));
    } else if (value === ';' || (value === '+' && open?.at(-1)?.value === '{}')) open = undefined;
    else open?.push(word);
  }
  return { kind: 'starter', commands };
}

/** What `xargs` replaces by what it reads; the last option counts. */
function placeholderIn(options: readonly CommandWord[]): string | undefined {
  let found: string | undefined;
  for (const [index, { value }] of options.entries()) {
    if (value === '-I') found = options[index + 1]?.value ?? undefined;
    else if (value === '-i' || value === '--replace') found = '{}';
    else if (value !== null && /^-[Ii]|^--replace=/.test(value)) found = value.replace(/^-[Ii]|^--replace=/, '');
  }
  return found === '' ? undefined : found;
}

/** Where the command begins; `null` when that cannot be told. */
function commandStart(words: readonly CommandWord[], form: WrapperForm): { at: number } | null {
  const [flags, values, attached] = [form.flags, form.values, form.attached].map((names) => names?.split(' ') ?? []);
  const alone = new Set([...(flags ?? []), ...(attached ?? [])]);
  const valued = new Set(values);
  const mayHold = new Set([...valued, ...(attached ?? [])]);
  let at = 1;
  for (; at < words.length; at += 1) {
    const word = words[at]?.value ?? null;
    if (word === null) return null;
    if (word === '--') {
      at += 1;
      break;
    }
    if (valued.has(word)) at += 1;
    else if (!word.startsWith('-')) break;
    else if (!alone.has(word) && !hasValueAttached(word, mayHold)) return null;
  }
  for (; form.assignments === true && /^\w+=/.test(words[at]?.value ?? ''); at += 1);
  return { at: at + (form.operands ?? 0) };
}

function hasValueAttached(word: string, options: ReadonlySet<string>): boolean {
  if (word.startsWith('--')) return options.has(word.slice(0, Math.max(word.indexOf('='), 0)));
  return options.has(word.slice(0, 2)) || (options.has('-n') && /^-\d+$/.test(word));
}
