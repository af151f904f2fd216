// A benchmark server in a process of its own, so that it shares no event loop with the client that measures it.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ProcessUse, Reply } from './servers/serve-parent.ts';

export interface ServerProcess {
  readonly pid: number;
  /** Where a port of the server is reached: `host:port`. */
  address(port: string): string;
  use(): Promise<ProcessUse>;
  /** Asks what its file lets be asked, one after another. @throws Error that the server's answer threw */
  ask(name: string, value?: unknown): Promise<unknown>;
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** A file, relative to `bench/servers`. */
  readonly file: string;
  /** Options of the Node process. */
  readonly nodeOptions?: readonly string[];
  /** Variables beside those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts the service, with the options of Node that `npm start` gives it. */
export function startService({ nodeOptions = [], ...options }: Omit<ServerOptions, 'file'> = {}): Promise<ServerProcess> {
  return startServer({ ...options, file: 'toolexec.ts', nodeOptions: ['--max-semi-space-size=8', ...nodeOptions] });
}

/** @throws Error when the server ends before it listens */
export async function startServer({ file, nodeOptions = [], env = {} }: ServerOptions): Promise<ServerProcess> {
  const child = fork(fileURLToPath(new URL(`./servers/${file}`, import.meta.url)), {
    execArgv: [...nodeOptions],
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const { ports } = (await answer(child)) as { ports: Record<string, number> };
  const ask = async (name: string, value?: unknown): Promise<unknown> => {
    child.send({ name, value });
    const reply = (await answer(child)) as Reply;
    if ('error' in reply) throw new Error(reply.error);
    return reply.answer;
  };
  return {
    pid: child.pid ?? 0,
    address: (port) => `127.0.0.1:${ports[port]}`,
    use: async () => (await ask('use')) as ProcessUse,
    ask,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}

async function answer(child: ChildProcess): Promise<unknown> {
  const done = new AbortController();
  try {
    return await Promise.race([
      once(child, 'message', { signal: done.signal }).then(([message]) => message as unknown),
      once(child, 'exit', { signal: done.signal }).then(([code]) => {
        throw new Error(`A benchmark server ended with code ${String(code)}; its last words are above.`);
      }),
    ]);
  } finally {
    done.abort();
  }
}
