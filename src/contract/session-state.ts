// The part of a session that its calls see and may change.
import type { Schedule } from './schedule.ts';
import type { TaskItem } from './task-list.ts';

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
  /** The mode to go back to when plan mode, which a call has entered, ends. */
  readonly modeBefore?: PermissionMode | undefined;
  readonly taskList?: readonly TaskItem[];
  /** Id that the last new task of the list got: ids are never used again. */
  readonly taskListLast?: number;
  readonly schedules?: readonly Schedule[];
  /** Permission rules of the operator's skills that the model has begun to use. */
  readonly grants?: readonly string[];
}

/** Gives the next state. It must not change its argument; one that throws is reported and skipped. */
export type ContextModifier = (state: SessionState) => SessionState;

/** Names of loaded tools that a session keeps: the oldest go first. */
const MAX_LOADED = 1_000;

/** The names with more of them, each once. */
export function withLoaded(loadedTools: readonly string[], more: readonly string[]): readonly string[] {
  const kept = loadedTools.filter((name) => !more.includes(name));
  return [...kept, ...new Set(more)].slice(-MAX_LOADED);
}

/** A state that nobody changes in place, its lists included: a tool changes a session by its result alone. */
export function frozenState(state: SessionState): SessionState {
  return frozen(state);
}

/** Frozen all through, as far as that is known. */
const known = new WeakSet<object>();

function frozen<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || known.has(value)) return value;
  known.add(value);
  Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}
