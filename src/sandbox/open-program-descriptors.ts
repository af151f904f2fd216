// What the service was started with it would hand on to all that it starts itself. The helper closes such descriptors; the
// service may need its own, so that a program gets nothing in their place.
import { readdirSync, readFileSync } from 'node:fs';

const FIRST = 3;
/** More places than that in a program's table are not filled one by one. */
const MAX_DESCRIPTOR = 1_023;
const CLOSES_ON_EXEC = 0o2_000_000;

type Place = number | 'ignore';

/**
 * @param places what the program is to get from descriptor 3 on
 * @returns the same, and `ignore` wherever else it would inherit something. Only Linux tells what that is.
 * @throws Error when that is more than can be held back
 */
export function nothingHandedOn(places: readonly Place[]): Place[] {
  const last = Math.max(FIRST + places.length - 1, ...inherited());
  if (last > MAX_DESCRIPTOR) throw new Error(`The service was started with descriptor ${last} open, which a program must not get.`);
  return Array.from({ length: last - FIRST + 1 }, (_, index) => places[index] ?? 'ignore');
}

function inherited(): number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor >= FIRST && isHandedOn(descriptor));
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
