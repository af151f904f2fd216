// The service as a process of its own.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const SERVER = fileURLToPath(new URL('../../src/server.ts', import.meta.url));
/** Lines of its log that are kept to tell why it ended. */
const LAST_LINES = 5;

export interface ServiceProcess {
  readonly port: number;
  readonly pid: number;
  /** Its last lines. */
  readonly log: readonly string[];
  /** Its exit code or the signal that ended it. */
  readonly exited: Promise<string>;
  signal(signal: NodeJS.Signals): void;
}

export interface ServiceOptions {
  readonly env: Readonly<Record<string, string>>;
  /** A file that gets its log. */
  readonly logFile: string;
}

/** @throws Error when it ends before it listens */
export async function startService({ env, logFile }: ServiceOptions): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [SERVER], {
    env: { PATH: process.env['PATH'] ?? '', HOME: '/tmp', TOOLEXEC_PORT: '0', ...compileCache(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log: string[] = [];
  const exited = once(child, 'exit').then(([code, signal]) => String(signal ?? code));
  const port = await listens(child, (line) => {
    appendFileSync(logFile, `${line}\n`);
    log.push(line);
    log.splice(0, log.length - LAST_LINES);
  });
  if (port === null) throw new Error(`A node ended at its start with ${await exited}: ${log.join(' | ')}`);
  return { port, pid: child.pid ?? 0, log, exited, signal: (signal) => void child.kill(signal) };
}

function compileCache(): Record<string, string> {
  const directory = process.env['NODE_COMPILE_CACHE'];
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: directory };
}

/** @returns its port, or `null` when it has ended */
function listens(child: ChildProcess, onLine: (line: string) => void): Promise<number | null> {
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.once('exit', () => resolve(null));
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on('line', (line) => {
      onLine(line);
      const address = /"address":"http:\/\/[^"]+:(\d+)"/.exec(line)?.[1];
      if (address !== undefined) resolve(Number(address));
    });
  }
  return promise;
}
