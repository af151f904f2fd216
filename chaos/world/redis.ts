// A Redis that keeps what it has acknowledged, and can be killed, started again and frozen.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { createClient } from '@redis/client';
import { freePort } from './free-port.ts';

const ATTEMPTS = 400;
const PAUSE_MS = 25;

export interface RedisProcess {
  readonly url: string;
  /** Starts it on the same port, with what it kept on disk. @throws Error when it does not answer */
  start(): Promise<void>;
  kill(): Promise<void>;
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
}

/** @param directory where it keeps its files. @throws Error when there is no `redis-server` or it does not answer */
export async function startRedis(directory: string): Promise<RedisProcess> {
  await mkdir(directory, { recursive: true });
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  const redis: RedisProcess = {
    url,
    async start() {
      const where = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', directory];
      const kept = ['--appendonly', 'yes', '--appendfsync', 'always', '--maxmemory-policy', 'noeviction', '--save', ''];
      child = spawn('redis-server', [...where, ...kept], { stdio: 'ignore' });
      const failed = once(child, 'error').then(([error]) => Promise.reject(error as Error));
      // Told by the race below, if it comes in time.
      failed.catch(() => undefined);
      await Promise.race([answers(url, child), failed]);
    },
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
    signal: (signal) => void child?.kill(signal),
  };
  await redis.start();
  return redis;
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const client = createClient({ url, socket: { reconnectStrategy: false } });
    // What goes wrong is told by the command.
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.ping();
      return;
    } catch {
      // Not yet, or it reads what it has on disk.
      if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}.`);
      await wait(PAUSE_MS);
    } finally {
      client.destroy();
    }
  }
  throw new Error('redis-server does not answer.');
}
