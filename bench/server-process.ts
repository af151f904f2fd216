// A benchmark server in a process of its own, so that it shares no event loop with the client that measures it.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ProcessUse } from './servers/serve-parent.ts';

export interface ServerProcess {
  /** Where a port of the server is reached: `host:port`. */
  address(port: string): string;
  use(): Promise<ProcessUse>;
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** A file of `bench/servers`. */
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
  return {
    address: (port) => `127.0.0.1:${ports[port]}`,
    async use() {
      child.send('use');
      return ((await answer(child)) as { use: ProcessUse }).use;
    },
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
