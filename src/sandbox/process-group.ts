// One program in a process group of its own: asked to stop, then killed, and at its end nothing of the group is left.
import { existsSync } from 'node:fs';
import { execa } from 'execa';

/** `failed`: the helper itself could not go on with it. */
export type StopCause = 'timeout' | 'aborted' | 'output_limit' | 'failed';

export interface GroupRequest {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Descriptors of this process that become 1, 2, … of the program; its standard input is empty. */
  readonly outputs: readonly [number, number, ...number[]];
  readonly timeoutMs: number;
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  /** Stops the group as `aborted`. */
  readonly signal: AbortSignal;
}

export interface GroupEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stopped: StopCause | null;
}

export interface ProcessGroup {
  readonly pid: number;
  /** Asks the whole group to stop and kills what is left after the grace. The first cause wins. */
  stop(cause: StopCause): void;
  /**
   * Settles when the program has exited and the rest of its group has been killed. After a stop the rest keeps its grace as
   * long as it holds its output open.
   */
  end(outputEnded: Promise<unknown>): Promise<GroupEnd>;
}

const groups = new Set<number>();

/** Kills every group that has not ended: for a helper that is about to leave. */
export function killAllGroups(): void {
  for (const pid of groups) killGroup(pid, 'SIGKILL');
}

/** @throws Error that says why the program could not be started. */
export async function startGroup(request: GroupRequest): Promise<ProcessGroup> {
  const started = execa(request.file, [...request.args], {
    cwd: request.cwd,
    env: request.env,
    extendEnv: false,
    detached: true,
    // execa takes any descriptor; its types name only the first few.
    stdio: ['ignore', ...(request.outputs as [3, 3, ...3[]])],
    buffer: false,
    reject: false,
    cleanup: false,
  });
  const { pid } = started;
  if (pid === undefined) throw startError(request, await started);
  groups.add(pid);

  let stopped: StopCause | null = null;
  const grace = Promise.withResolvers<void>();
  let graceTimer: NodeJS.Timeout | undefined;
  const stop = (cause: StopCause): void => {
    if (stopped !== null) return;
    stopped = cause;
    killGroup(pid, 'SIGTERM');
    graceTimer = setTimeout(() => {
      killGroup(pid, 'SIGKILL');
      grace.resolve();
    }, request.graceMs);
  };
  const timer = setTimeout(stop, request.timeoutMs, 'timeout');
  const onAbort = (): void => stop('aborted');
  request.signal.addEventListener('abort', onAbort);

  return {
    pid,
    stop,
    async end(outputEnded) {
      const { exitCode, signal } = await started;
      clearTimeout(timer);
      request.signal.removeEventListener('abort', onAbort);
      if (stopped !== null) await Promise.race([outputEnded, grace.promise]);
      clearTimeout(graceTimer);
      killGroup(pid, 'SIGKILL');
      groups.delete(pid);
      return { exitCode: exitCode ?? null, signal: signal ?? null, stopped };
    },
  };
}

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The whole group has already ended.
  }
}

function startError(request: GroupRequest, failure: { originalMessage?: string | undefined; code?: string | undefined }): Error {
  if (!existsSync(request.cwd)) return new Error(`It could not be started: the working directory ${request.cwd} does not exist.`);
  if (failure.code === 'ENOENT') return new Error(`It could not be started: there is no program ${request.file}.`);
  if (failure.code === 'E2BIG') return new Error('It could not be started: its arguments and environment are too long together.');
  return new Error(`It could not be started: ${failure.originalMessage ?? 'the reason is unknown'}.`);
}
