// Packages that only the benchmark wants lie in a folder of their own, and are installed when it needs them.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { LeftOutError } from './contest.ts';

const DIRECTORY = fileURLToPath(new URL('./peers/', import.meta.url));
const INSTALL_MS = 120_000;

/** @throws LeftOutError where they cannot be had */
export async function installPeers(): Promise<void> {
  if (existsSync(`${DIRECTORY}node_modules/.package-lock.json`)) return;
  try {
    const options = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
    await promisify(execFile)('npm', options, { cwd: DIRECTORY, timeout: INSTALL_MS });
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    throw new LeftOutError(`npm ci in bench/peers failed: ${stderr?.trim().split('\n')[0] || (error as Error).message}`, { cause: error });
  }
}
