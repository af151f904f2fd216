// The command `toolexec`: finds out what is wanted, and gives the exit code.
import { messageOf, releaseVersion } from '../contract/index.ts';
import { HELP, OVERVIEW } from './help.ts';
import { UsageError } from './usage-error.ts';

/** Exit code of a command that was called in a way it does not know. */
const WRONG_USE = 2;
const FAILED = 1;

type Command = (argv: string[], signal: AbortSignal) => Promise<number>;

/** Each is loaded when it is wanted. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  run: async () => (await import('./run.ts')).run,
  tools: async () => (await import('./tools.ts')).tools,
  doctor: async () => (await import('./doctor.ts')).doctor,
};

/**
 * Does what is asked. Never throws.
 * @param argv without the runtime and the script
 * @returns the exit code, or `serve` when this process is to become the service
 */
export async function main(argv: readonly string[]): Promise<number | 'serve'> {
  const [name, ...rest] = argv;
  if (name === '--version' || name === '-v') return print(`${releaseVersion()}\n`);
  if (name === '--help' || name === '-h' || name === 'help') return print(HELP[rest[0] ?? ''] ?? OVERVIEW);
  if (name === undefined) return complain(OVERVIEW, WRONG_USE);
  const help = Object.hasOwn(HELP, name) ? HELP[name] : undefined;
  if (help === undefined) return complain(`toolexec has no command ${name}.\n\n${OVERVIEW}`, WRONG_USE);
  if (rest.some((word) => word === '--help' || word === '-h')) return print(help);
  if (name === 'serve')
    return rest.length === 0 ? 'serve' : complain(`toolexec serve takes no options: ${rest.join(' ')}\n\n${help}`, WRONG_USE);
  return runCommand(name, rest);
}

async function runCommand(name: string, argv: string[]): Promise<number> {
  const load = COMMANDS[name];
  const stop = new AbortController();
  const onSignal = (signal: NodeJS.Signals): void => stop.abort(new Error(`stopped by ${signal}`));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, onSignal);
  // Nobody reads any more what is printed.
  process.stdout.once('error', (error) => stop.abort(error));
  try {
    return load === undefined ? WRONG_USE : await (await load())(argv, stop.signal);
  } catch (error) {
    if (stop.signal.aborted) return complain(`toolexec ${name}: ${messageOf(stop.signal.reason)}\n`, 130);
    if (isWrongUse(error)) return complain(`toolexec ${name}: ${messageOf(error)}\nSee toolexec ${name} --help.\n`, WRONG_USE);
    return complain(`toolexec ${name}: ${messageOf(error)}\n`, FAILED);
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, onSignal);
  }
}

function isWrongUse(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return error instanceof UsageError || (typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS_'));
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

function complain(text: string, code: number): number {
  process.stderr.write(text);
  return code;
}
