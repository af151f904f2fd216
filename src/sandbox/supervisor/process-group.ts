// One program in a process group of its own: asked to stop, then killed, and at its end nothing of the group is left.
// Plain `spawn`, since with ten in flight execa would make each command a fifth to a third slower.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { messageOf } from '../../contract/message-of.ts';
import { whenFired } from '../../contract/when-fired.ts';
import { killGroup, killProcess, membersOf } from '../processes/processes.ts';

/** `failed`: the helper itself could not go on with it. `orphaned`: nobody of the service was there for too long. */
export type StopCause = 'timeout' | 'aborted' | 'output_limit' | 'orphaned' | 'failed';
/** The reason of a signal that stops a group as `orphaned`. */
export const ORPHANED = 'orphaned';

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
  /** Stops the group as `aborted`, or as {@link ORPHANED} where that is its reason. */
  readonly signal: AbortSignal;
  /** Lifts the time limit. */
  readonly untimed: AbortSignal;
  /** The program encloses the others: they die when it does, so that it is not asked to stop with them. */
  readonly encloses?: boolean;
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

/** Kills every group that has not ended, for a helper that is about to leave; but for those of these leaders. */
export function killAllGroups(spared: ReadonlySet<number> = new Set()): void {
  for (const pid of groups) if (!spared.has(pid)) killGroup(pid, 'SIGKILL');
}

/** From now until it is disposed of, the group of this leader is one that {@link killAllGroups} kills. */
export function enrolGroup(pid: number): Disposable {
  groups.add(pid);
  return { [Symbol.dispose]: () => void groups.delete(pid) };
}

/** @throws Error that says why the program could not be started. */
export async function startGroup(request: GroupRequest): Promise<ProcessGroup> {
  const child = await spawned(request);
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const pid = child.pid ?? 0;
  const enrolled = enrolGroup(pid);

  let stopped: StopCause | null = null;
  const grace = Promise.withResolvers<void>();
  let graceTimer: NodeJS.Timeout | undefined;
  const stop = (cause: StopCause): void => {
    if (stopped !== null) return;
    stopped = cause;
    if (request.encloses === true) askEnclosed(pid);
    else killGroup(pid, 'SIGTERM');
    graceTimer = setTimeout(() => {
      killGroup(pid, 'SIGKILL');
      grace.resolve();
    }, request.graceMs);
  };
  const timer = setTimeout(stop, request.timeoutMs, 'timeout');
  const { signal: stopping, untimed } = request;
  const untime = (): void => clearTimeout(timer);
  const abort = (): void => stop(stopping.reason === ORPHANED ? 'orphaned' : 'aborted');
  whenFired(untimed, untime);
  whenFired(stopping, abort);

  return {
    pid,
    stop,
    async end(outputEnded) {
      const [exitCode, signal] = await exited;
      clearTimeout(timer);
      untimed.removeEventListener('abort', untime);
      stopping.removeEventListener('abort', abort);
      if (stopped !== null) await Promise.race([outputEnded, grace.promise]);
      clearTimeout(graceTimer);
      killGroup(pid, 'SIGKILL');
      enrolled[Symbol.dispose]();
      return { exitCode, signal, stopped };
    },
  };
}

/** What has not begun to run a line yet has nothing to put in order. */
function askEnclosed(leader: number): void {
  const enclosed = membersOf(leader).filter(({ pid, parent }) => pid !== leader && parent !== leader);
  if (enclosed.length === 0) killGroup(leader, 'SIGKILL');
  for (const { pid } of enclosed) killProcess(pid, 'SIGTERM');
}

async function spawned(request: GroupRequest): Promise<ChildProcess> {
  try {
    const { cwd, env, outputs } = request;
    const child = spawn(request.file, request.args, { cwd, env, detached: true, stdio: ['ignore', ...outputs] });
    // Some failures are thrown, others come as an event.
    if (child.pid === undefined) await once(child, 'spawn');
    return child;
  } catch (error) {
    throw startError(request, error);
  }
}

/** Why a program could not be started, in words. */
export function startError({ file, cwd }: Pick<GroupRequest, 'file' | 'cwd'>, failure: unknown): Error {
  const code = failure instanceof Error && 'code' in failure ? failure.code : undefined;
  if (!existsSync(cwd)) return new Error(`It could not be started: the working directory ${cwd} does not exist.`);
  if (code === 'ENOENT') return new Error(`It could not be started: there is no program ${file}.`);
  if (code === 'E2BIG') return new Error('It could not be started: its arguments and environment are too long together.');
  return new Error(`It could not be started: ${messageOf(failure)}.`, { cause: failure });
}
