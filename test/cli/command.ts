// The command as a user starts it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export const LAUNCHER = fileURLToPath(new URL('../../bin/toolexec.js', import.meta.url));

/** Half of a start would be compiling the same modules again. */
const COMPILED = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly cwd?: string;
  readonly env?: Record<string, string>;
  /** What it reads from its standard input. */
  readonly input?: string;
  /** The launcher, where it is a copy. */
  readonly launcher?: string;
}

/** Runs the command to its end. */
export async function toolexec(argv: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  const { child, printed } = startCommand(argv, options);
  child.stdin.end(options.input ?? '');
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...printed };
}

/** Starts the command; its standard input stays open. */
export function startCommand(argv: readonly string[], { cwd, env = {}, launcher = LAUNCHER }: CommandOptions) {
  const child = spawn(process.execPath, [launcher, ...argv], {
    ...(cwd !== undefined && { cwd }),
    env: { PATH: process.env['PATH'] ?? '', HOME: '/tmp', NODE_COMPILE_CACHE: COMPILED, ...env },
    stdio: 'pipe',
  });
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (chunk: Buffer) => (printed[name] += chunk.toString()));
  // It may end without reading.
  child.stdin.on('error', () => {});
  return { child, printed };
}
