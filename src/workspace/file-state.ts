// FileStateCache: what a session last saw of each file, forgotten least recently used first.
import { LRUCache } from 'lru-cache';
import type { FileSnapshot } from '../contract/index.ts';

/** Bytes of one snapshot without its texts: object, numbers and the cache's own links. */
const ENTRY_BYTES = 256;
/** Room for some thousand files. */
const DEFAULT_CACHE_BYTES = 2 * 1024 * 1024;

export interface FileStateCache {
  get(path: string): FileSnapshot | undefined;
  set(path: string, snapshot: FileSnapshot): void;
  readonly size: number;
}

/** @param maxBytes bound on what the snapshots themselves take; contents of files are never kept. */
export function createFileState(maxBytes: number = DEFAULT_CACHE_BYTES): FileStateCache {
  const cache = new LRUCache<string, FileSnapshot>({
    maxSize: maxBytes,
    sizeCalculation: (snapshot, path) => ENTRY_BYTES + 2 * (path.length + snapshot.hash.length + (snapshot.range?.pages?.length ?? 0)),
  });
  return {
    get: (path) => cache.get(path),
    set: (path, snapshot) => void cache.set(path, { ...snapshot }),
    get size() {
      return cache.size;
    },
  };
}
