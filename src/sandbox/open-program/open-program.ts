// A program that runs for long and is talked to through its standard streams. It is started by the service itself: what is
// said goes straight through, and there are few of such programs. Its end is the end of its whole group.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { settlesWithin, type ProgramExit, type ServerProgram } from '../../contract/index.ts';
import { openPaths } from '../enclosure/bound-paths.ts';
import { nothingHandedOn } from './open-program-descriptors.ts';
import { invocationOf, type LongProgramRequest } from './open-program-invocation.ts';
import { startError } from '../supervisor/process-group.ts';
import { killGroup } from '../processes/processes.ts';

/** Characters at the end of what a program printed to its standard error that are kept. */
const MAX_TAIL = 4_096;

export interface OpenProgramOptions {
  /** Milliseconds between the end of its input, SIGTERM and SIGKILL, each. */
  readonly graceMs?: number;
}

/** @throws Error that says why it could not be started */
export async function openProgram(request: LongProgramRequest, { graceMs = 500 }: OpenProgramOptions = {}): Promise<ServerProgram> {
  const child = await started(request);
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw new Error('It was started without its pipes.');
  stdin.on('error', () => {
    // The program has closed its input, or is gone.
  });
  child.on('error', () => {
    // A signal could not be sent: its end is told by `exited`.
  });
  const tail = tailOf(stderr);
  const exited = endOf(child, graceMs);
  return {
    stdin,
    stdout,
    stderrTail: tail,
    exited,
    async kill() {
      stdin.end();
      for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
        if (await settlesWithin(exited, graceMs)) return;
        killGroup(child.pid, signal);
      }
      await exited;
    },
  };
}

async function started(request: LongProgramRequest): Promise<ChildProcess> {
  const { file, args, env } = invocationOf(request);
  const { cwd } = request;
  try {
    using bound = openPaths(request.enclosure?.bound ?? []);
    const inherited = nothingHandedOn(request.enclosure === undefined ? [] : ['ignore', 'ignore', 'ignore', ...bound.descriptors]);
    const child = spawn(file, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe', ...inherited] });
    // Some failures are thrown, others come as an event.
    if (child.pid === undefined) await once(child, 'spawn');
    return child;
  } catch (error) {
    throw startError({ file, cwd }, error);
  }
}

/** When the program has ended, whoever it leaves behind in its group ends too, and its output with them. */
async function endOf(child: ChildProcess, graceMs: number): Promise<ProgramExit> {
  // Its streams may close in the very moment of its end.
  const closed = once(child, 'close');
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  killGroup(child.pid, 'SIGKILL');
  const { stdout, stderr } = child;
  await settlesWithin(closed, graceMs);
  stdout?.destroy();
  stderr?.destroy();
  return { code, signal };
}

function tailOf(stream: Readable): () => string {
  let tail = '';
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    tail = (tail + text).slice(-MAX_TAIL);
  });
  return () => tail;
}
