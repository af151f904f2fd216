// The service as a process of its own, for tests that kill it.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';

const SERVER = fileURLToPath(new URL('../../src/server.ts', import.meta.url));

export interface ServerProcess {
  readonly url: string;
  readonly pid: number;
  readonly log: string[];
  /** Resolves when it has ended, of itself or not. */
  readonly exited: Promise<void>;
  /** Sends a signal. @returns the exit code, `null` when a signal ended it */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** @param program what to start instead of the service itself: it must tell its address in the same way */
export async function startProcess(t: Pick<TestContext, 'after'>, env: Record<string, string>, program = SERVER): Promise<ServerProcess> {
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env['PATH'] ?? '', HOME: '/tmp', TOOLEXEC_PORT: '0', ...compiled(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  const log: string[] = [];
  const url = await listening(child, log);
  const exited = once(child, 'exit') as Promise<[number | null]>;
  return {
    exited: exited.then(() => undefined),
    url,
    pid: child.pid ?? 0,
    log,
    async end(signal) {
      child.kill(signal);
      return (await exited)[0];
    },
  };
}

/** Most of a start would be compiling the same modules again. */
function compiled(): Record<string, string> {
  const directory = process.env['NODE_COMPILE_CACHE'];
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: directory };
}

function listening(child: ChildProcess, log: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}: ${log.join('\n')}`)));
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        log.push(line);
        const address = /"address":"([^"]+)"/.exec(line)?.[1];
        if (address !== undefined) resolve(address);
      });
    }
  });
}
