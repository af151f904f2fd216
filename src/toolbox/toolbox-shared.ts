// What sessions have in common: those that choose the same built-in tools share one pool, and searches of one pool one index.
import { LRUCache } from 'lru-cache';
import type { DescribeContext, EnableContext, Tool } from '../contract/index.ts';
import { assemblePool, choose, shownTools, type PoolOptions, type ToolPool } from './assemble.ts';
import { SEARCH_TOOL } from './search/deferral.ts';
import { buildSearchIndex, type SearchIndex } from './search/search-index.ts';

/** Choices of built-in tools that are kept assembled. */
const MAX_POOLS = 100;
/** Tools in all search indexes that are kept. */
const MAX_INDEXED = 20_000;

export interface Installation {
  /** Tools that the service itself has. */
  readonly builtIn: readonly Tool[];
  readonly enable: EnableContext;
}

export interface PoolChoice extends Omit<PoolOptions, 'builtIn' | 'enable'> {
  /** What the session has beside what the service has. */
  readonly flags?: readonly string[];
}

/** @returns a pool of the session's own only where it has tools from outside */
export function sharedPools({ builtIn, enable }: Installation): (choice: PoolChoice) => ToolPool {
  const pools = new LRUCache<string, ToolPool>({ max: MAX_POOLS });
  return ({ external = [], flags = [], ...choice }) => {
    const options = { ...choice, always: isSearch, enable: { ...enable, flags: new Set([...enable.flags, ...flags]) } };
    const chosen = choose(builtIn, options);
    const key = [chosen, shownTools(chosen, choice)].map((tools) => tools.map(({ name }) => name).join()).join('|');
    const pool = pools.get(key) ?? assemblePool({ ...options, builtIn });
    pools.set(key, pool);
    return external.length === 0 ? pool : assemblePool({ ...options, builtIn: pool.known, external });
  };
}

/** Builds the index of a pool when it is first searched. A search never finds itself. */
export function sharedIndexes(): (pool: ToolPool, context: DescribeContext) => Promise<SearchIndex> {
  const indexes = new LRUCache<ToolPool, Promise<SearchIndex>>({ maxSize: MAX_INDEXED, sizeCalculation: (_index, { count }) => count + 1 });
  return (pool, context) => {
    const index =
      indexes.get(pool) ??
      buildSearchIndex(
        pool.tools.filter((tool) => !isSearch(tool)),
        context,
      );
    indexes.set(pool, index);
    return index;
  };
}

function isSearch({ name }: Tool): boolean {
  return name === SEARCH_TOOL;
}
