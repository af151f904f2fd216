import type { RateCounter } from '../../contract/index.ts';
import { rateKey } from './keys.ts';
import type { Link } from './link.ts';
import { SCRIPTS } from './scripts.ts';

/** Counts of all nodes, by the clock of Redis. `add` rejects with Problem `store-unavailable` while Redis is away. */
export function redisRates(link: Link): RateCounter {
  return {
    async add(key, windowMs) {
      const [count, endsInMs] = (await link.run(SCRIPTS.rateAdd, [rateKey(key)], [windowMs])) as [number, number];
      return { count, endsInMs };
    },
  };
}
