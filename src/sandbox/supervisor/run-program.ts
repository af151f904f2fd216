// Inside the helper: one program without a shell, its output captured in memory up to a limit. Its end is execa's business:
// timeout, abort and too much output end the whole group, first by asking, then by force.
import { execa } from 'execa';
import type { ProgramResult } from '../../contract/command-runner.ts';
import { streamHead } from '../../contract/stream-head.ts';
import { incompleteTail } from '../../contract/utf8.ts';
import { openPaths } from '../enclosure/bound-paths.ts';
import type { ExecOrder } from '../messages.ts';
import { enrolGroup, startError } from './process-group.ts';
import type { HelperParts } from './run-command.ts';

const MAX_ERROR_BYTES = 16_384;

/** @throws Error when the program could not be started. */
export async function runProgram(order: ExecOrder, parts: HelperParts): Promise<ProgramResult> {
  const program = start(order, parts);
  const { pid } = program;
  if (pid === undefined) throw startError(order, (await program).cause);
  using running = new DisposableStack();
  running.use(enrolGroup(pid));
  running.use(endWithProgram(program, parts.graceMs));
  parts.send({ type: 'started', id: order.id, pid });
  const errors = streamHead(program.stderr, MAX_ERROR_BYTES);
  const { exitCode = null, stdout, isMaxBuffer, timedOut, isCanceled } = await program;
  const result = {
    exitCode,
    stdout: textIn(stdout, isMaxBuffer),
    stderr: errors().toString('utf8'),
    truncated: isMaxBuffer,
    stopped: timedOut ? 'timeout' : isCanceled ? 'aborted' : null,
  } as const;
  if (order.enclosure !== undefined) assertBegun(result, order.file);
  return result;
}

/** @throws Error with bubblewrap's own words, as it prints them before anything else has run */
function assertBegun({ exitCode, stdout, stderr }: ProgramResult, file: string): void {
  const said = /^bwrap: (.*)/.exec(stderr)?.[1];
  if (exitCode !== 1 || stdout !== '' || said === undefined) return;
  if (said.startsWith('execvp')) throw new Error(`It could not be started: there is no program ${file} in the sandbox.`);
  throw new Error(`It could not be started, because its sandbox could not be set up: ${said}`);
}

type Program = ReturnType<typeof start>;

function start(order: ExecOrder, { mark, graceMs, signal }: HelperParts) {
  const { cwd, env, timeoutMs, maxOutputBytes, enclosure } = order;
  using bound = openPaths(enclosure?.bound ?? []);
  const [file, ...args] = [...(enclosure === undefined ? [] : [enclosure.file, ...enclosure.args, '--']), order.file, ...order.args];
  return execa(file ?? '', args, {
    cwd,
    env,
    extendEnv: false,
    // The types of execa know the lowest descriptors alone; it passes on any.
    stdio: ['ignore', 'pipe', 'pipe', mark as 3, 'ignore', 'ignore', ...(bound.descriptors as 3[])],
    encoding: 'buffer',
    stripFinalNewline: false,
    // Errors past the limit are dropped rather than a reason to kill.
    buffer: { stderr: false },
    maxBuffer: maxOutputBytes,
    timeout: timeoutMs,
    cancelSignal: signal,
    forceKillAfterDelay: graceMs,
    killDescendants: true,
    reject: false,
    // The helper ends its groups itself when it leaves, and by force.
    cleanup: false,
  });
}

/** Without this, whoever holds the program's output open would make it last: its group ends with it, others are not waited for. */
function endWithProgram(program: Program, graceMs: number): Disposable {
  let timer: NodeJS.Timeout | undefined;
  program.nodeChildProcess.once('exit', () => {
    program.kill('SIGKILL');
    timer = setTimeout(() => {
      program.stdout.destroy();
      program.stderr.destroy();
    }, graceMs);
  });
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

function textIn({ buffer, byteOffset, byteLength }: Uint8Array, cut: boolean): string {
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  return bytes.toString('utf8', 0, byteLength - (cut ? incompleteTail(bytes) : 0));
}
