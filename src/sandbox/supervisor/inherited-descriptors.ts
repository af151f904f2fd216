// What the service was started with it hands on to all it starts, unless it is closed: a directory among it would be a way
// out of any sandbox. Node marks what it opens itself so that it is not handed on.
import { closeSync, readdirSync, readFileSync } from 'node:fs';

/** The first one after the three standard streams. */
export const FIRST_DESCRIPTOR = 3;
const CLOSES_ON_EXEC = 0o2_000_000;

/** All that children would inherit but the three standard streams. Only Linux tells what that is. */
export function inheritedDescriptors(): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor >= FIRST_DESCRIPTOR && isHandedOn(descriptor));
}

export function closeInherited(): void {
  for (const descriptor of inheritedDescriptors()) closeSync(descriptor);
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
