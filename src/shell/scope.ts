import type { Script } from 'unbash';

/** What judging a part of a line needs to know of the whole line. */
export interface Scope {
  /** Whether the script of a substitution only reads. */
  readonly readsOnly: (script: Script) => boolean;
  /** Variables that hold an integer wherever they are set: expanding them gives one word, and as arithmetic they run nothing. */
  readonly integers: ReadonlySet<string>;
}

/** A scope in which nothing is known, and no substitution is accepted. */
export const NOTHING_KNOWN: Scope = { readsOnly: () => false, integers: new Set() };
