// What a tool may know and use. State is immutable: the only way to change it is a context modifier on a result.
import type { CommandRunner } from './command-runner.ts';
import type { SessionFiles } from './session-files.ts';

export const PERMISSION_MODES = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions', 'auto'] as const;
export type PermissionMode = (typeof PERMISSION_MODES)[number];

export interface Todo {
  content: string;
  status: 'pending' | 'in_progress' | 'completed';
  activeForm: string;
}

/** The part of a session that tools may change, one frozen value at a time. */
export interface SessionState {
  /** Absolute path, always inside the workspace. */
  readonly cwd: string;
  readonly mode: PermissionMode;
  readonly todos: readonly Todo[];
  /** Names of deferred tools whose schema the model has seen. */
  readonly loadedTools: readonly string[];
}

/** Gives the next state. It must not change its argument; one that throws is reported and skipped. */
export type ContextModifier = (state: SessionState) => SessionState;

/** What stays the same for a session's whole life, as far as tools may see it. */
export interface SessionFacts {
  readonly sessionId: string;
  /** Absolute real path of the workspace. */
  readonly workspace: string;
  /** Absolute real paths of all directories that may be read, the workspace among them. Absent: the workspace alone. */
  readonly readableRoots?: readonly string[];
  /** Absolute real paths of all directories that may be written, the workspace among them. Absent: the workspace alone. */
  readonly writableRoots?: readonly string[];
  /** Environment variables that the session adds to its commands. */
  readonly env: Readonly<Record<string, string>>;
}

/** The services a tool may use; each is a port that the composition root fills. */
export interface ToolServices {
  readonly files: SessionFiles;
  readonly commands: CommandRunner;
}

/** Everything one running call gets. */
export interface CallContext extends SessionFacts, ToolServices {
  readonly turnId: string;
  readonly toolUseId: string;
  readonly state: SessionState;
  /** Fires when the call must stop; `signal.reason` is a {@link StopReason}. */
  readonly signal: AbortSignal;
  /** A file of the session that this call may write its whole output to; nothing exists there yet. */
  readonly outputFile: string;
}

/** Why a running call is stopped. The first reason wins and is a kind, never read back from text. */
export type StopReason =
  | { readonly kind: 'aborted'; readonly message: string }
  | { readonly kind: 'cancelled_sibling'; readonly message: string }
  | { readonly kind: 'timed_out'; readonly message: string }
  | { readonly kind: 'discarded'; readonly message: string };
