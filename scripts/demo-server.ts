// What the demo runs against: the real server in its own process, on a throw-away copy of this project's sources.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

const PROJECT = fileURLToPath(new URL('..', import.meta.url));

export interface Place {
  /** Holds everything that the demo makes. */
  readonly root: string;
  /** A git repository with a copy of `src`. */
  readonly workspace: string;
}

export async function makeRoot(): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), 'toolexec-demo-')));
}

export async function removeRoot(root: string): Promise<void> {
  await rm(root, { recursive: true, force: true });
}

export async function makeWorkspace(root: string, signal: AbortSignal): Promise<string> {
  const workspace = join(root, 'workspace');
  await mkdir(workspace);
  await cp(join(PROJECT, 'src'), join(workspace, 'src'), { recursive: true });
  const git = execa({
    cwd: workspace,
    cancelSignal: signal,
    env: { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
  });
  const author = ['-c', 'user.name=demo', '-c', 'user.email=demo@localhost'];
  await git`git init --quiet --initial-branch=main`;
  await git`git add --all`;
  await git`git ${author} commit --quiet --message=${'Start'}`;
  return workspace;
}

export interface DemoServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** @throws Error with the server's own words when it ends before it listens */
export async function startServer({ root, workspace }: Place, signal: AbortSignal): Promise<DemoServer> {
  const server = spawn(process.execPath, ['src/server.ts'], {
    cwd: PROJECT,
    env: {
      ...withoutSettings(process.env),
      TOOLEXEC_PORT: '0',
      TOOLEXEC_DATA_DIR: join(root, 'data'),
      TOOLEXEC_WORKSPACE_ROOTS: workspace,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: Ctrl-C reaches only the demo, which then stops the server in order.
    detached: true,
  });
  const exited = once(server, 'exit');
  let complaints = '';
  server.stderr.on('data', (chunk: Buffer) => (complaints = (complaints + chunk.toString()).slice(-4_000)));
  const stop = async (): Promise<void> => {
    if (server.exitCode === null && server.signalCode === null) server.kill('SIGTERM');
    await exited;
  };
  try {
    for await (const line of createInterface({ input: server.stdout, signal })) {
      const address = addressIn(line);
      if (address === undefined) continue;
      server.stdout.resume();
      return { url: address, stop };
    }
    signal.throwIfAborted();
    throw new Error(`The server ended before it listened:\n${complaints}`);
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The demo is the same whatever the service is set to here. */
function withoutSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('TOOLEXEC_')));
}

function addressIn(logLine: string): string | undefined {
  try {
    return (JSON.parse(logLine) as { address?: string }).address;
  } catch {
    // Not every line that a process prints is one of its log.
    return undefined;
  }
}
