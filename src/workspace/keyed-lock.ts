import { inSequence } from '../contract/index.ts';

/** One holder a key at a time, first come first served, over all sessions of the process. */
export const withLock = inSequence();
