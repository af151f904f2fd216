// The port to what turns have written over: kept before the first write of a turn to a file, and put back on demand.
import type { SessionFiles } from './session-files.ts';

/** A turn that has written files, and how they were before it. */
export interface Checkpoint {
  /** `cp_…`. */
  readonly id: string;
  readonly turnId: string;
  /** When the turn first wrote, in milliseconds since 1970. */
  readonly createdAt: number;
  /** Relative to the workspace, or absolute outside of it; in the order in which they were first written. */
  readonly files: readonly string[];
}

/** What became of the files; paths as in {@link Checkpoint}. What was in the wanted state already is not listed. */
export interface Rewound {
  readonly restored: readonly string[];
  /** They did not exist before. */
  readonly removed: readonly string[];
  /** They were left as they are. */
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
}

/** The history of one session's files; the last 100 checkpoints are kept. */
export interface FileHistory {
  /**
   * The same files, but the state of each is kept before it is first written in this turn. A write whose file cannot be
   * kept is not done, unless the file, or the history, is too large: then a rewind tells that it was passed over.
   */
  filesFor(turnId: string, files: SessionFiles): SessionFiles;
  /** Newest first. */
  list(): Promise<readonly Checkpoint[]>;
  /**
   * Puts the files that this turn and later ones have written into their state before it, whoever has written them since.
   * Only while no turn runs, unless nothing is to be changed.
   * @returns `null` when there is no such checkpoint
   */
  rewind(checkpointId: string, options: { readonly dryRun: boolean }): Promise<Rewound | null>;
}
