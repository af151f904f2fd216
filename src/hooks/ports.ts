// What hooks need of the outside, handed in by whoever joins the parts.
import type { Fetch, HookedCall, PermissionContext, Tool } from '../contract/index.ts';
import type { HookSource } from './settings.ts';

export interface HookCommand {
  /** A line for bash. */
  readonly command: string;
  readonly cwd: string;
  /** What the command's environment has beside that of its runner. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Bytes of standard output past which the command is stopped. */
  readonly maxOutputBytes: number;
}

export interface HookCommandEnd {
  /** `null` when it was ended by a signal. */
  readonly exitCode: number | null;
  readonly stdout: string;
  /** Its first part, when it is long. */
  readonly stderr: string;
  readonly timedOut: boolean;
  /** True when it was stopped because it printed more than `maxOutputBytes`. */
  readonly overflowed: boolean;
}

/**
 * Runs one command of a hook, and leaves nothing of it running.
 * @throws Error when it could not be started
 */
export type RunHookCommand = (command: HookCommand) => Promise<HookCommandEnd>;

export interface HookPorts {
  /** Primary name of the tool that a name or alias stands for; the name itself when there is none. */
  readonly canonicalName: (name: string) => string;
  /** True when the permission rule matches the call. One that throws counts as matching. */
  readonly matchesRule: (rule: string, call: HookedCall, context: PermissionContext) => boolean | Promise<boolean>;
  /**
   * What hooks would be told of this input: coerced, valid, with the fields that observers see.
   * @throws Error that says what is wrong with an input that is not valid
   */
  readonly observe: (tool: Tool, input: unknown, context: PermissionContext) => unknown;
  /** What runs `command` hooks; `null` where they cannot run, so that they block. */
  readonly commandFor: (source: HookSource) => RunHookCommand | null;
  /** For a session's hooks the one that reaches public addresses alone. */
  readonly fetchFor: (source: HookSource) => Fetch;
  /** Variables that headers of an operator's hooks may name in `allowedEnvVars`. Those of a session's hooks name the session's own. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Told of hooks that failed. */
  readonly report: (what: string, error: unknown) => void;
}
