// What a session's commands may see, write and reach. All paths are absolute and real (no links, no `..`).

export interface SandboxLimits {
  /** Processes and threads at once. The kernel does not hold root to it: run the service as another user. */
  readonly processes: number;
  /** Bytes of private memory of one process. Shared memory and the sum over all processes are the container's business. */
  readonly memoryBytes: number;
  /** Bytes of one file. */
  readonly fileBytes: number;
  /** Files that one process has open at once. */
  readonly openFiles: number;
}

export const DEFAULT_LIMITS: SandboxLimits = {
  processes: 512,
  memoryBytes: 2 * 1024 ** 3,
  fileBytes: 4 * 1024 ** 3,
  openFiles: 4096,
};

export type SandboxNetwork =
  | { readonly kind: 'none' }
  /** Out through an HTTP proxy that listens on a unix socket, and no other way. */
  | { readonly kind: 'proxy'; readonly socketPath: string };

export interface SandboxProfile {
  /** Has the same path inside. */
  readonly workspace: string;
  /** More directories that may be written, at their own paths. */
  readonly writable: readonly string[];
  /** Directories and files that may be read, at their own paths; what is missing is left out. */
  readonly readable: readonly string[];
  /** A directory of the session alone, made when it is missing: it is /tmp inside. */
  readonly tempDir: string;
  /** Home directory, writable, at its own path; left out while it is missing. */
  readonly home: string;
  /** Cannot be read, whatever they are and whatever name leads to them but a hard link. */
  readonly masked: readonly string[];
  /** Can be read and neither changed, moved, removed nor, when missing, made. */
  readonly readOnly: readonly string[];
  /** Not there, where they would be seen otherwise. What this profile names below them is there all the same. */
  readonly hidden: readonly string[];
  readonly network: SandboxNetwork;
  readonly limits: SandboxLimits;
}
