// A Redis of its own for a test file: on a free port, in a directory that goes away with it.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@redis/client';
import { freePort } from '../../chaos/world/free-port.ts';

const ATTEMPTS = 200;
const PAUSE_MS = 50;

export type RawClient = ReturnType<typeof rawClient>;

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** Starts it again on the same port, with what it kept on disk. */
  start(): Promise<void>;
  /** Ends it as a signal does, and waits for that. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Sends a signal that does not end it. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** A client without anything of ours, closed with the server. */
  client(): Promise<RawClient>;
  /** Kills it and removes its directory. */
  end(): Promise<void>;
}

/** Settings of a Redis that keeps what it has acknowledged. */
export const DURABLE = ['--appendonly', 'yes', '--appendfsync', 'always'];

/** Starts a Redis that keeps nothing on disk. @param settings more options of its command line */
export async function startRedis(settings: readonly string[] = []): Promise<RedisServer> {
  const directory = await mkdtemp(join(tmpdir(), 'toolexec-redis-'));
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const clients: RawClient[] = [];
  let child: ChildProcess | undefined;

  const server: RedisServer = {
    url,
    port,
    async start() {
      const always = ['--port', `${port}`, '--dir', directory, '--bind', '127.0.0.1', '--maxmemory-policy', 'noeviction'];
      child = spawn('redis-server', [...always, '--save', '', ...settings], { stdio: 'ignore' });
      await answers(url, child);
    },
    async kill(signal = 'SIGKILL') {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill(signal);
      await exited;
    },
    signal: (signal) => void child?.kill(signal),
    async client() {
      const client = rawClient(url);
      clients.push(client);
      return client.connect();
    },
    async end() {
      for (const client of clients) client.destroy();
      await server.kill();
      await rm(directory, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}

function rawClient(url: string) {
  const client = createClient({ url, socket: { reconnectStrategy: false }, maintNotifications: 'disabled' });
  // An error that a command meets is told by the command.
  client.on('error', () => undefined);
  return client;
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const client = rawClient(url);
    try {
      await client.connect();
      await client.ping();
      return;
    } catch {
      // Not yet, or it reads what it has on disk.
      if (child.exitCode !== null) throw new Error(`redis-server ended with ${child.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    } finally {
      client.destroy();
    }
  }
  throw new Error('redis-server does not answer');
}
