// The port behind which commands run: what starts them, where, and under which sandbox is not a tool's business.

/** Whose a command is. */
export interface CommandOwner {
  /** Name of the API key, or of whatever else several sessions can have in common. */
  readonly key: string;
  /** Id of the session, which belongs to this key alone. */
  readonly session: string;
}

/** What a command and a program have in common. */
interface Start {
  /** Who asks, filled by who holds the runner: those who wait for a place take turns by it. Absent: one owner for all such. */
  readonly owner?: CommandOwner;
  /** Told how many milliseconds it has waited for a place, once it has one or has given up. */
  readonly onWaited?: (ms: number) => void;
  /** Absolute path of the directory to start in. */
  readonly cwd: string;
  /** The whole environment: nothing of the service's own is added. */
  readonly env: Readonly<Record<string, string>>;
  /** Counted from the start: the time that it waits for a place is not part of it. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface CommandRequest extends Start {
  /** A line for bash, run by a fresh shell with empty standard input. */
  readonly command: string;
  /** Where standard output and error go, interleaved as they were printed. The runner makes it once there is anything: it must not be there. */
  readonly outputFile: string;
  /** True when people, or a mode that asks nobody, have said yes to this command: what is protected may then be changed too. */
  readonly approved?: boolean;
  /** True when the line was judged to only read: where there is a sandbox, it then can do no more than that. */
  readonly readOnly?: boolean;
  /** True for a command that nobody waits for: such ones never take all places, so that others can run beside them. */
  readonly background?: boolean;
  /**
   * Id of the session that takes the command up again ({@link CommandRunner.reattach}) should the service die while it runs.
   * Absent: it is killed then.
   */
  readonly adoptable?: string;
  /** Lifts the time limit when it fires: somebody wants the command to go on in the background. */
  readonly untimed?: AbortSignal;
  /** Bytes of output after which the command is killed. */
  readonly maxOutputBytes: number;
  /** Live output, coalesced and possibly thinned; `offset` counts bytes into the output file. */
  readonly onOutput?: (chunk: { offset: number; text: string }) => void;
}

/** Characters of the longest line that is taken. */
const MAX_COMMAND_CHARS = 100_000;
/** The kernel's own limit for one argument is 131,072 bytes, the closing NUL included. */
const MAX_COMMAND_BYTES = 131_071;

/** Why no runner takes the line; `null` when one does. */
export function commandFault(command: string): string | null {
  if (command.includes('\0')) return 'The command contains a NUL character, which no shell can take: remove it.';
  if (command.length <= MAX_COMMAND_CHARS && Buffer.byteLength(command) <= MAX_COMMAND_BYTES) return null;
  return (
    `The command has ${command.length} characters; at most ${MAX_COMMAND_CHARS} (${MAX_COMMAND_BYTES} bytes) can be run. ` +
    'Write it to a file and run the file.'
  );
}

export interface CommandResult {
  /** `null` when the command was killed by a signal. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Why the runner itself ended the command, if it did. `orphaned`: the service was gone, or stood still, for too long. */
  readonly stopped: 'timeout' | 'aborted' | 'output_limit' | 'orphaned' | null;
  readonly outputBytes: number;
  /** Working directory of the shell when it ended; `null` when it could not be told. */
  readonly cwd: string | null;
}

/** A program of the service's own choosing (ripgrep, git), run without a shell, its output captured up to a limit. */
export interface ProgramRequest extends Start {
  readonly file: string;
  readonly args: readonly string[];
  /** Bytes of standard output that are kept; past them the program is killed and `truncated` is true. */
  readonly maxOutputBytes: number;
}

export interface ProgramResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  /** At most 16 KiB of it. */
  readonly stderr: string;
  readonly truncated: boolean;
  readonly stopped: 'timeout' | 'aborted' | null;
}

/** Nobody can tell how a command ended that ran when the service died, or whether it began. */
export class LostCommandError extends Error {
  override readonly name = 'LostCommandError';
  constructor() {
    super('The service stopped while the command ran, and nobody can tell how it ended: it may have taken effect in part.');
  }
}

export interface CommandRunner {
  /** Runs one program to its end. @throws Error when it could not be started at all. */
  exec(request: ProgramRequest): Promise<ProgramResult>;
  /**
   * Runs one command to its end and kills its whole process group before it answers.
   * @throws Error when the command could not be started at all.
   */
  run(request: CommandRequest): Promise<CommandResult>;
  /**
   * Takes up an `adoptable` command by its output file, after the process of the service that had started it is gone: waits for
   * its end where it still runs, or tells how it has ended.
   * @throws LostCommandError when nobody can tell; what was left of the command is killed where that can be
   * @throws Error as `run` would have
   */
  reattach(outputFile: string, controls: Pick<CommandRequest, 'signal' | 'untimed'>): Promise<CommandResult>;
  /** Removes what is kept beside this output file to take its command up again: its end is known elsewhere. Never rejects. */
  forget(outputFile: string): Promise<void>;
}
