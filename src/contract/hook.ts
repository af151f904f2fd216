// The port to outside code that looks at calls before and after they run.
import type { PermissionContext, Tool } from './tool.ts';
import type { ResultContent } from './content.ts';

export const HOOK_EVENTS = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'PermissionRequest',
  'PermissionDenied',
  'SessionStart',
  'SessionEnd',
] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** A call as hooks see it. */
export interface HookedCall {
  readonly toolUseId: string;
  readonly tool: Tool;
  /** Coerced and valid, with the fields that `backfillObservableInput` adds. */
  readonly input: unknown;
}

/** What happened, with all that its hooks are told. */
export type HookOccasion = HookMatter & {
  /** Header fields (W3C Trace Context) that put what hooks do about it into the trace of the call. Absent where there are no traces. */
  readonly trace?: Readonly<Record<string, string>>;
};

type HookMatter =
  | { readonly event: 'PreToolUse'; readonly call: HookedCall }
  | {
      readonly event: 'PostToolUse';
      readonly call: HookedCall;
      readonly content: ResultContent;
      readonly output?: unknown;
      readonly durationMs: number;
    }
  | {
      readonly event: 'PostToolUseFailure';
      readonly call: HookedCall;
      readonly error: string;
      readonly interrupted: boolean;
      readonly durationMs: number;
    }
  | { readonly event: 'PostToolBatch'; readonly calls: readonly (HookedCall & { readonly content: ResultContent })[] }
  | { readonly event: 'PermissionRequest'; readonly call: HookedCall; readonly suggestions: readonly string[] }
  | { readonly event: 'PermissionDenied'; readonly call: HookedCall; readonly reason: string }
  | { readonly event: 'SessionStart'; readonly source: 'startup' | 'resume' }
  | { readonly event: 'SessionEnd'; readonly reason: string };

/** What all hooks of one occasion say together, merged in config order: deny > ask > allow, the last `updatedInput` wins. */
export interface HookVerdict {
  readonly behavior?: 'allow' | 'ask' | 'deny';
  /** For the model, with `deny` and `ask`; of a PostToolUse hook with `deny`: feedback that goes with the result. */
  readonly reason?: string;
  /** Whole new input of a PreToolUse or PermissionRequest hook: not yet validated. */
  readonly updatedInput?: Readonly<Record<string, unknown>>;
  /** Of a PostToolUse hook: replaces what the model gets. */
  readonly updatedOutput?: ResultContent;
  /** For the model, beside the result. */
  readonly additionalContext: readonly string[];
  /** A hook ended the turn (`continue: false`). */
  readonly stop?: { readonly reason: string };
  /** For people: messages of hooks and errors of hooks that do not block. */
  readonly notes: readonly string[];
}

export interface Hooks {
  /** False when no hook can answer to this event: the call then does not wait for any. */
  listens(event: HookEvent): boolean;
  /** Runs the hooks that match, side by side. A hook that cannot run or is late blocks where it is a gate. Never throws. */
  run(occasion: HookOccasion, context: PermissionContext, signal: AbortSignal): Promise<HookVerdict>;
}
