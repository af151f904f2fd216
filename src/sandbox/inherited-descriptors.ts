// What the service was started with it hands on to all it starts, unless it is closed: a directory among it would be a way
// out of any sandbox. Node marks what it opens itself so that it is not handed on.
import { closeSync, readdirSync, readFileSync } from 'node:fs';

const CLOSES_ON_EXEC = 0o2_000_000;

/** Closes all that children would inherit but the three standard streams. Only Linux tells what that is. */
export function closeInherited(): void {
  if (process.platform !== 'linux') return;
  for (const descriptor of readdirSync('/proc/self/fd').map(Number)) {
    if (descriptor > 2 && isHandedOn(descriptor)) closeSync(descriptor);
  }
}

function isHandedOn(descriptor: number): boolean {
  try {
    const [, flags = ''] = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? [];
    return (Number.parseInt(flags, 8) & CLOSES_ON_EXEC) === 0;
  } catch {
    // It was the one through which the list was read.
    return false;
  }
}
