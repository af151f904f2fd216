// Numbers that are the same again for the same names: each part of a plan draws from a stream of its own, so that what is drawn
// for one session or fault changes nothing for the others.
import { createHash } from 'node:crypto';

export interface Random {
  /** A number from 0 up to but not including 1. */
  next(): number;
  /** A whole number, both ends included. */
  whole(min: number, max: number): number;
  /** @throws Error when there is nothing to choose from */
  pick<Item>(items: readonly Item[]): Item;
  /** One of the keys, each as often as its weight says. @throws Error when no weight is above 0 */
  weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key;
}

export function randomOf(...names: readonly (string | number)[]): Random {
  let drawn = 0;
  const random: Random = {
    next() {
      const digest = createHash('sha256')
        .update(`${names.join('/')}#${(drawn += 1)}`)
        .digest();
      return digest.readUInt32BE(0) / 2 ** 32;
    },
    whole: (min, max) => min + Math.floor(random.next() * (max - min + 1)),
    pick(items) {
      const item = items[Math.floor(random.next() * items.length)];
      if (item === undefined) throw new Error('There is nothing to choose from.');
      return item;
    },
    weighted(weights) {
      const entries = (Object.entries(weights) as [keyof typeof weights, number][]).filter(([, weight]) => weight > 0);
      let left = random.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [key, weight] of entries) if ((left -= weight) < 0) return key;
      throw new Error('No weight is above 0.');
    },
  };
  return random;
}
