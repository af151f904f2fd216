// The port to a session's files: every path goes through confinement, and what was read is remembered.
import type { FileHandle } from 'node:fs/promises';
import type { Stats } from 'node:fs';

/** What the session remembers of a file it has read or written. */
export interface FileSnapshot {
  /** Digest of the bytes on disk at that time. */
  readonly hash: string;
  readonly mtimeMs: number;
  readonly size: number;
  /** The range that was shown: absent after a write. */
  readonly range?: { readonly offset: number; readonly limit: number; readonly pages?: string };
  /** False when only a part was shown. */
  readonly whole: boolean;
}

export interface ConfinedFile {
  /** Absolute real path inside the workspace (or another readable root). */
  readonly path: string;
  readonly stats: Stats;
  readonly handle: FileHandle;
}

export interface SessionFiles {
  /** Makes an absolute, normalised path of one that is absolute or relative to `cwd`. No file system access. */
  absolute(path: string, cwd: string): string;
  /**
   * Where an absolute path leads once its links are followed, also when its end is not there. What is found says nothing about
   * whether it may be used.
   * @throws the operating system's error where links lead in a circle or a directory cannot be looked into
   */
  real(path: string): Promise<string>;
  /**
   * Opens a regular file for reading, without following a link out of the roots, and hands it to `use`; closes it after.
   * @throws FileError `not_found`, `outside`, `not_a_file` (directory, FIFO, device, socket), `denied`.
   */
  withFile<T>(path: string, use: (file: ConfinedFile) => Promise<T>): Promise<T>;
  /**
   * Stands for a directory (or file) that another program will search: its real path after confinement.
   * @throws FileError as {@link withFile}.
   */
  confine(path: string): Promise<{ path: string; kind: 'file' | 'directory' }>;
  /** The state of a writable target: its bytes' digest and mode, or `null` when it does not exist. @throws FileError */
  look(path: string): Promise<{ path: string; hash: string; mode: number; size: number; mtimeMs: number } | null>;
  /**
   * Replaces a file atomically (temporary file in the same directory, then rename), makes parents, keeps `mode`.
   * `expectedHash` of `null` means "must not exist"; a mismatch throws `changed` and leaves the file alone.
   * @throws FileError
   */
  write(request: {
    path: string;
    bytes: Buffer;
    expectedHash: string | null;
    mode?: number;
  }): Promise<{ path: string; hash: string; mtimeMs: number; size: number }>;
  /** What the session last saw of this file. */
  remembered(path: string): FileSnapshot | undefined;
  remember(path: string, snapshot: FileSnapshot): void;
  /** Whether any file is remembered. */
  remembersAny(): boolean;
}

export const FILE_ERROR_CODES = ['not_found', 'outside', 'not_a_file', 'denied', 'changed', 'exists', 'io'] as const;
export type FileErrorCode = (typeof FILE_ERROR_CODES)[number];

/** A file could not be used; the message is fit for a model. */
export class FileError extends Error {
  override readonly name = 'FileError';
  readonly code: FileErrorCode;
  constructor(code: FileErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
