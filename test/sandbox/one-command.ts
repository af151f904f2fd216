// One command in a sandbox, run by a service that is a process of its own.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const SCRIPT = fileURLToPath(new URL('children/one-command.ts', import.meta.url));
const NOBODY = 65_534;
/** How many processes the command may have. */
const PROCESSES = 64;

export interface Outcome {
  readonly exitCode: number | null;
  readonly stopped: string | null;
  readonly output: string;
  /** In the environment of all that it started. */
  readonly mark: string;
}

/** As a user whom the kernel holds to limits, which root is not. */
export async function asNobody(command: string): Promise<Outcome> {
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT, command, String(PROCESSES)], { ...user, cwd: '/', env: {} });
  return JSON.parse(stdout) as Outcome;
}

/** By a service that was started with the root directory open. */
export async function withOpenRoot(command: string): Promise<Outcome> {
  const args = ['-c', 'exec 40</ && exec "$0" "$@"', process.execPath, SCRIPT, command, String(PROCESSES)];
  return JSON.parse((await promisify(execFile)('/bin/bash', args, { env: {} })).stdout) as Outcome;
}
