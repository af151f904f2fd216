// What the service was started with it would hand on to all that it starts itself. The helper closes such descriptors; the
// service may need its own, so that a program gets nothing in their place.
import { FIRST_DESCRIPTOR, inheritedDescriptors } from '../supervisor/inherited-descriptors.ts';

/** More places than that in a program's table are not filled one by one. */
const MAX_DESCRIPTOR = 1_023;

type Place = number | 'ignore';

/**
 * @param places what the program is to get from descriptor 3 on
 * @returns the same, and `ignore` wherever else it would inherit something. Only Linux tells what that is.
 * @throws Error when that is more than can be held back
 */
export function nothingHandedOn(places: readonly Place[]): Place[] {
  const last = Math.max(FIRST_DESCRIPTOR + places.length - 1, ...inheritedDescriptors());
  if (last > MAX_DESCRIPTOR) throw new Error(`The service was started with descriptor ${last} open, which a program must not get.`);
  return Array.from({ length: last - FIRST_DESCRIPTOR + 1 }, (_, index) => places[index] ?? 'ignore');
}
