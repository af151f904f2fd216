// A command of an operator's hook: bash in a process group of its own, outside of any sandbox. However it ends, its whole
// group is killed, and nobody who holds its output open is waited for.
import { existsSync } from 'node:fs';
import { execa } from 'execa';
import { messageOf, streamHead } from '../contract/index.ts';
import type { HookCommand, HookCommandEnd, RunHookCommand } from './ports.ts';

/** Milliseconds between asking a group to stop and killing it. */
const GRACE_MS = 500;
/** Milliseconds that output which is still in the pipe gets after the end. */
const DRAIN_MS = 100;
const MAX_ERROR_BYTES = 16_384;
/** What a program needs to find its way; anything else of the service's environment may be a secret. */
const PASSED_ON = /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR)$/;

const NOT_RUN: HookCommandEnd = { exitCode: null, stdout: '', stderr: '', timedOut: false, overflowed: false };

/** @param environment the service's own, of which commands get what is harmless */
export function createHookCommandRunner(environment: Readonly<Record<string, string | undefined>>): RunHookCommand {
  const base = Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value !== undefined && PASSED_ON.test(name) ? [[name, value]] : [])),
  );
  return async (command) => {
    // A program that is started and stopped at once may have done something in between.
    if (command.signal.aborted) return NOT_RUN;
    const running = start(command, base);
    if (running.pid === undefined) throw startError(command, (await running).cause);
    using _ = endWithCommand(running);
    const errors = streamHead(running.stderr, MAX_ERROR_BYTES);
    const { exitCode = null, stdout, isMaxBuffer, timedOut } = await running;
    return {
      exitCode,
      stdout: new TextDecoder().decode(stdout),
      stderr: errors().toString('utf8'),
      timedOut,
      overflowed: isMaxBuffer,
    } satisfies HookCommandEnd;
  };
}

type Running = ReturnType<typeof start>;

function start({ command, cwd, env, stdin, timeoutMs, signal, maxOutputBytes }: HookCommand, base: Readonly<Record<string, string>>) {
  return execa('bash', ['-c', command], {
    cwd,
    env: { ...base, ...env },
    extendEnv: false,
    input: stdin,
    encoding: 'buffer',
    stripFinalNewline: false,
    buffer: { stderr: false },
    maxBuffer: maxOutputBytes,
    timeout: timeoutMs,
    cancelSignal: signal,
    forceKillAfterDelay: GRACE_MS,
    killDescendants: true,
    reject: false,
  });
}

/** What is left of the group ends with its first process; who has left the group and holds the output open is not heard any more. */
function endWithCommand(running: Running): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const leave = (): void => {
    running.stdout.destroy();
    running.stderr.destroy();
  };
  running.nodeChildProcess.once('exit', () => {
    running.kill('SIGKILL');
    // Leaves only after one more look at the pipe: in a process that was held up, a no may still lie there unread.
    timer = setTimeout(() => setImmediate(leave), DRAIN_MS);
  });
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

function startError({ cwd }: HookCommand, failure: unknown): Error {
  if (!existsSync(cwd)) return new Error(`the directory ${cwd} does not exist`);
  return new Error(messageOf(failure), { cause: failure });
}
