// A real command runner with a directory of its own, in a sandbox or not, and short ways to use it.
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { CommandOwner, CommandRequest, CommandResult, CommandRunner, ProgramRequest } from '../../src/contract/index.ts';
import type { Bubblewrap } from '../../src/sandbox/enclosure/bubblewrap.ts';
import { startCommandRunner, type CommandRunnerOptions } from '../../src/sandbox/command-runner.ts';
import { detectSandbox, type SandboxDetection } from '../../src/sandbox/enclosure/detect-sandbox.ts';
import { sandboxed } from '../../src/sandbox/enclosure/sandboxed.ts';
import { DEFAULT_LIMITS, type SandboxProfile } from '../../src/sandbox/enclosure/sandbox-profile.ts';

export const ENV = { PATH: '/usr/local/bin:/usr/bin:/bin' };

/** What holds of commands holds with and without a sandbox. */
export const PLACES = [
  { place: 'without a sandbox', sandbox: false },
  { place: 'in the sandbox', sandbox: true },
] as const;

export interface CommandsOptions extends CommandRunnerOptions {
  /** Where the places are made: in the system's temporary directory unless told otherwise. */
  readonly base?: string;
  readonly sandbox?: boolean | ((places: Places) => Partial<SandboxProfile>);
  /** Of the bubblewrap that was found. */
  readonly changed?: (found: Bubblewrap) => Bubblewrap;
}

export interface Places {
  /** The workspace. */
  readonly directory: string;
  readonly home: string;
  readonly tempDir: string;
  /** What no command may see: it stands for the data of the service. The others lie below it. */
  readonly data: string;
}

export interface Commands extends Places {
  readonly runner: CommandRunner & { close(): Promise<void> };
  /** Waits until nothing runs that a command has started. @throws Error when something is still there after ten seconds */
  readonly allEnded: () => Promise<void>;
  /** How many processes there are now that a command has started. */
  readonly countRunning: () => number;
  readonly request: (command: string, changes?: Partial<CommandRequest>) => CommandRequest;
  readonly program: (file: string, args: readonly string[], changes?: Partial<ProgramRequest>) => ProgramRequest;
  /** Runs a line and reads the file that its output went to. */
  readonly run: (command: string, changes?: Partial<CommandRequest>) => Promise<CommandResult & { output: string; pieces: Piece[] }>;
}

export interface Piece {
  readonly offset: number;
  readonly text: string;
}

export async function commands(
  t: TestContext,
  { sandbox = false, base = tmpdir(), changed, ...options }: CommandsOptions = {},
): Promise<Commands> {
  const places = await makePlaces(base);
  const { directory, data } = places;
  const plain = startCommandRunner({ helpers: 1, ...options });
  t.after(async () => {
    await plain.close();
    await rm(data, { recursive: true, force: true });
  });
  const changes = typeof sandbox === 'function' ? sandbox(places) : {};
  const inside = async (): Promise<CommandRunner> => {
    const bubblewrap = await workingBubblewrap();
    return sandboxed(plain, { bubblewrap: changed?.(bubblewrap) ?? bubblewrap, profile: () => ({ ...profileFor(places), ...changes }) });
  };
  const runner = sandbox === false ? plain : { ...plain, ...(await inside()) };
  let count = 0;
  // Whatever a command starts inherits this, and is found by it.
  const env = { ...ENV, TEST_MARK: data };
  const common = () => ({ cwd: directory, env, timeoutMs: 60_000, maxOutputBytes: 10_000_000, signal: new AbortController().signal });
  const made: Commands = {
    ...places,
    runner,
    countRunning: () => processesWith(data).length,
    allEnded: async () => void (await Promise.all(processesWith(data).map(ended))),
    request: (command, asked) => ({ command, outputFile: join(data, `output-${(count += 1)}`), ...common(), ...asked }),
    program: (file, args, asked) => ({ file, args, ...common(), ...asked }),
    async run(command, asked) {
      const pieces: Piece[] = [];
      const request = made.request(command, { onOutput: (piece) => pieces.push(piece), ...asked });
      const result = await runner.run(request);
      // A command that prints nothing has no file.
      const output = result.outputBytes === 0 ? '' : await readFile(request.outputFile, 'utf8');
      return { ...result, output, pieces };
    },
  };
  return made;
}

async function makePlaces(base: string): Promise<Places> {
  const data = await realpath(await mkdtemp(join(base, 'toolexec-runner-')));
  const places = { data, directory: join(data, 'workspace'), home: join(data, 'home'), tempDir: join(data, 'tmp') };
  await mkdir(places.directory);
  await mkdir(places.home);
  return places;
}

/** What a session gets that has asked for nothing. */
export function profileFor({ directory, home, tempDir, data }: Places): SandboxProfile {
  return {
    workspace: directory,
    tempDir,
    home,
    writable: [],
    readable: [],
    masked: [],
    readOnly: [],
    hidden: [data],
    network: { kind: 'none' },
    limits: DEFAULT_LIMITS,
  };
}

export async function workingBubblewrap(): Promise<Bubblewrap> {
  const found = await detection();
  if (!found.works) throw new Error(found.reason);
  return found.bubblewrap;
}

let detected: Promise<SandboxDetection> | undefined;

/** Once for all tests of a file. */
export function detection(): Promise<SandboxDetection> {
  detected ??= detect();
  return detected;
}

function detect(): Promise<SandboxDetection> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'toolexec-system-')));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  return detectSandbox(directory);
}

/** Process ids of those whose first environment has this text. */
export function processesWith(text: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => environmentOf(pid).includes(text)).map(Number);
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    // It has ended, or is another user's.
    return '';
  }
}

/** Waits until a process has ended. @throws Error when it is still there after ten seconds */
export async function ended(pid: number): Promise<void> {
  for (let round = 0; round < 1000; round += 1) {
    if (!isRunning(pid)) return;
    await setTimeout(10);
  }
  throw new Error(`Process ${pid} is still running.`);
}

export function isRunning(pid: number): boolean {
  try {
    // A zombie has ended; nobody has asked for its exit code yet.
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Settles with the output so far once it matches. */
export function outputThat(matches: RegExp): { seen: Promise<string>; onOutput: (piece: Piece) => void } {
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = '';
  return {
    seen: promise,
    onOutput: (piece) => {
      text += piece.text;
      if (matches.test(text)) resolve(text);
    },
  };
}

/** Whose a command is. @param key of its own unless told otherwise */
export function ownerOf(session: string, key = session): CommandOwner {
  return { key, session };
}

/** For a line: waits until the file is there. */
export function waitFor(file: string): string {
  return `while [ ! -e ${file} ]; do sleep 0.02; done`;
}
