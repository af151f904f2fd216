import type { TestContext } from 'node:test';
import type { Store } from '../../src/contract/index.ts';

export interface OpenedStore {
  readonly store: Store;
  /** Closes the store and opens what it has kept anew. */
  readonly reopen: () => Promise<Store>;
}

/** Opens a fresh, empty store that goes away with the test. */
export type OpenStore = (t: TestContext) => Promise<OpenedStore>;
