// What is mutated, and the tests that prove it. Slow files are left out where faster ones prove the same.

export interface Folder {
  /** Globs of what is mutated, when it is not all of `src/<folder>`. */
  readonly mutate?: readonly string[];
  /** Globs of test files, relative to the project. */
  readonly tests: readonly string[];
  /** Files of those that are left out: slow, and others prove the same. */
  readonly without?: readonly string[];
  /** Parts of names of tests that are left out, for the same reason. */
  readonly skip?: readonly string[];
  /** One of how many mutants is run. */
  readonly every: number;
}

export const FOLDERS: Readonly<Record<string, Folder>> = {
  permissions: {
    tests: ['test/permissions/*.test.ts'],
    without: ['test/permissions/session-roots.test.ts'],
    skip: ['made to be slow', 'too much to look through'],
    every: 10,
  },
  shell: {
    // How a command runs in a session is proved by the tests of the tools that run any, which take too long for every mutant.
    mutate: ['src/shell/**/*.ts', '!src/shell/session-command/**', '!src/shell/worktrees.ts'],
    tests: ['test/shell/*.test.ts'],
    without: ['test/shell/read-only-runs.test.ts', 'test/shell/reading-time.test.ts'],
    every: 8,
  },
  engine: {
    tests: ['test/engine/*.test.ts'],
    skip: ['a thousand calls that touch one file', 'ten times the text'],
    every: 16,
  },
  store: {
    // What Redis keeps is proved against real servers, which takes too long as well.
    mutate: ['src/store/**/*.ts', '!src/store/redis/**'],
    tests: ['test/store/*.test.ts'],
    without: ['test/store/sqlite-crash.test.ts'],
    skip: ['kill -9', 'another process holds the file'],
    every: 8,
  },
};
