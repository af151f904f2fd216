// Programs as a short script starts them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync } from 'node:fs';

/** What lies beside /usr on some systems, and in it on others. */
const BESIDE_USR = ['/bin', '/sbin', '/lib', '/lib64'];

/** Standard output and errors. @throws Error for any exit but 0 */
export async function outputOf([file, ...args]: readonly [string, ...string[]], cwd?: string): Promise<string> {
  const child = spawn(file, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${file} ended with ${String(code)}: ${output.slice(0, 1_000)}`);
  return output;
}

/** The command in a sandbox of the fewest mounts: the system to read, one directory to write, no network. */
export function enclosedByHand(command: readonly string[], directory: string): readonly [string, ...string[]] {
  const system = BESIDE_USR.flatMap((path) => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return [];
    return stats.isSymbolicLink() ? ['--symlink', `usr${path}`, path] : ['--ro-bind', path, path];
  });
  const view = ['--ro-bind', '/usr', '/usr', ...system, '--ro-bind', '/etc', '/etc', '--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'];
  return ['bwrap', '--unshare-all', '--die-with-parent', ...view, '--bind', directory, directory, '--chdir', directory, ...command];
}
