// The contract every tool fulfils, in seven groups that do not overlap.
import type { z } from 'zod';
import type { CallContext, SessionFacts } from './context.ts';
import type { ResultContent } from './content.ts';
import type { Footprint } from './footprint.ts';
import type { Intent } from './intent.ts';
import type { JsonSchema } from './json-schema.ts';
import type { Effect } from './outcome.ts';
import type { ContextModifier, SessionState } from './session-state.ts';
import type { SkillSummary } from './skills.ts';
import type { View } from './view.ts';

/** What a tool may look at when it describes itself to the model. */
export interface DescribeContext {
  readonly workspace: string;
  /** Absent: none. */
  readonly skills?: readonly SkillSummary[];
}

/** What decides, before any call, whether the tool is in a session's pool. */
export interface EnableContext {
  readonly platform: NodeJS.Platform;
  /**
   * What the service has beside its core, such as `model`, and the session: `person` (people are with it; it is no agent's),
   * `member` (its agent is in a team), `skills`, `operator` (its key is the operator's), `agent-depth` (it may start agents).
   */
  readonly flags: ReadonlySet<string>;
}

/** What a tool gives back when it did not throw. */
export interface ToolResult<Output = unknown> {
  readonly content: ResultContent;
  /** True when the tool itself says that it failed; its text is then sanitised. */
  readonly isError?: boolean;
  /** Structured output, for views and hooks. */
  readonly output?: Output;
  /** Applied only when the call ends `ok`. */
  readonly contextModifier?: ContextModifier;
  /** The whole output already lies in this file (the call's `outputFile`) and `content` shows a part of it. */
  readonly spilled?: { readonly path: string; readonly bytes: number };
  /** Set when the tool ended itself because its own time was over. */
  readonly timedOut?: boolean;
}

/** What a tool that runs as a generator may emit before its result. */
export type ToolEmission<Progress = unknown> =
  | { readonly type: 'progress'; readonly data: Progress }
  | { readonly type: 'context'; readonly modify: ContextModifier };

export type ToolRun<Output, Progress> =
  | ToolResult<Output>
  | Promise<ToolResult<Output>>
  | AsyncGenerator<ToolEmission<Progress>, ToolResult<Output>, void>;

/** An answer of the tool's own permission check. `allow` may carry changed input. */
export type ToolPermission<Input> =
  | { readonly behavior: 'allow'; readonly input: Input }
  | { readonly behavior: 'ask'; readonly reason: string }
  | { readonly behavior: 'deny'; readonly reason: string }
  | { readonly behavior: 'passthrough' };

/** How the permission rules see a call: what it touches, in words that policies understand without knowing the tool. */
export type PermissionSubject =
  | { readonly kind: 'path'; readonly access: 'read' | 'write'; readonly path: string }
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'url'; readonly url: string }
  /**
   * `text`: what rules for this tool name in brackets, such as the name of a skill. `own`: it is the session's own, so that
   * only rules are against it. `code`: it is a program in a language that rules cannot read, such as a script of PowerShell.
   */
  | { readonly kind: 'other'; readonly text?: string; readonly own?: true; readonly code?: true };

export type Validation = { readonly ok: true } | { readonly ok: false; readonly message: string };

export interface ToolIdentity<Input> {
  /** `^[a-zA-Z0-9_-]{1,64}$`. */
  readonly name: string;
  /** Former names: they are looked up after every primary name. */
  readonly aliases: readonly string[];
  /** A few words that a search for a tool may use. */
  readonly searchHint: string;
  userFacingName(input: Input | undefined): string;
}

export interface ToolSchema {
  /** Zod (v4) or JSON Schema; it both validates and becomes the schema that the model sees. */
  readonly inputSchema: z.ZodType | JsonSchema;
  readonly outputSchema?: z.ZodType | JsonSchema;
  description(context: DescribeContext): string;
}

/** What a tool says of all its calls. Nothing is decided by it. */
export interface ToolHints {
  /** It changes nothing. */
  readonly readOnly?: true;
  /** Whether it may remove or overwrite what cannot be brought back. */
  readonly destructive?: boolean;
  /** A second call with the same input changes nothing more. */
  readonly idempotent?: true;
}

/** Synchronous, on the parsed input. Anything but `true` counts as "no". */
export interface ToolSafety<Input> {
  /** What holds for every input, for those who only see the definition. */
  readonly hints?: ToolHints;
  isEnabled(context: EnableContext): boolean;
  isConcurrencySafe(input: Input): boolean;
  isReadOnly(input: Input): boolean;
  isDestructive(input: Input): boolean;
  /**
   * What a call touches: sessions with `schedule: "dependencies"` run calls side by side that touch different things. It must name all
   * that its result and its effects depend on, the session's state included. Without it, and when it throws, a call that is safe
   * beside others reads all files, and any other touches everything.
   */
  footprint?(input: Input, context: PermissionContext): Footprint | 'everything';
}

export interface ToolPermissions<Input> {
  /** Semantic check of the input alone: what needs the file system belongs to `call`, after permission. */
  validateInput?(input: Input): Validation | Promise<Validation>;
  checkPermissions(input: Input, context: PermissionContext): ToolPermission<Input> | Promise<ToolPermission<Input>>;
  /** What the rules judge: all that the call may touch. None at all: nothing outside of the session itself, so that every mode lets it run. */
  permissionSubjects(input: Input, context: PermissionContext): readonly PermissionSubject[];
  /** What the safety classifier sees; the empty string hides the call from it. */
  toAutoClassifierInput(input: Input): string;
}

export type PermissionContext = SessionFacts & { readonly state: SessionState };

/** What an interrupted call gets that is asked what became of it. */
export interface ProbeContext extends CallContext {
  /** What `intent` said before; absent when it said nothing. */
  readonly intent?: Intent;
}

/**
 * What became of a call that was interrupted: it is done, with this result, also a failed one; it has done nothing; or nobody can
 * tell. `known` is then what the model reads beside that.
 */
export type ProbeAnswer<Output = unknown> =
  | { readonly kind: 'applied'; readonly result: ToolResult<Output> }
  | { readonly kind: 'not_applied' }
  | { readonly kind: 'unclear'; readonly known?: string };

export interface ToolExecution<Input, Output, Progress> {
  call(input: Input, context: CallContext): ToolRun<Output, Progress>;
  /** Text beyond this many characters goes to a file and the model gets the head. */
  readonly maxResultChars: number;
  /** Milliseconds after which the engine closes the call as `timed_out`; tools with limits of their own set it above them. */
  readonly timeoutMs: number;
  /** `finish`: an abort waits for a running call of this tool, up to its grace period. */
  readonly interruptBehavior: 'cancel' | 'finish';
  /** True for shells: a failing call stops unfinished calls of such tools in the same batch. */
  readonly abortsSiblings: boolean;
  effect(input: Input): Effect;
  /**
   * Asked before a call of effect `idempotent` or `probe` begins, and kept with its start: what `probe` has to know after an
   * interruption. It changes nothing. When it throws, nothing is kept, and the call goes on.
   */
  intent?(input: Input, context: CallContext): Promise<Intent | undefined>;
  /**
   * Asked of a call that was interrupted, unless it only reads: whether it has taken effect. It changes nothing but what the
   * session remembers of its files, and may wait for what the call had begun to end, as long as a call may run. When it throws,
   * that counts as `unclear`. Without it, `idempotent` calls run again, and of all others nobody can tell. For effect `once`,
   * `not_applied` needs proof that nothing has begun: the call then runs.
   */
  probe?(input: Input, context: ProbeContext): Promise<ProbeAnswer<Output>>;
}

export interface ToolLoading {
  readonly shouldDefer: boolean;
  /** Wins over `shouldDefer`. */
  readonly alwaysLoad: boolean;
}

export interface ToolPresentation<Input, Output, Progress> {
  renderUse(input: Input): View;
  renderProgress(data: Progress): View;
  renderResult(input: Input, result: ToolResult<Output>): View;
  renderRejected(input: Input, reason: string): View;
  renderError(input: unknown, message: string): View;
  renderGroup(inputs: readonly Input[]): View;
  /**
   * Adds derived fields (an absolute path, say) for observers: hooks, events, approvals. Gets a private copy and gives
   * what observers shall see. The input that the tool and the model's API get is never changed.
   */
  backfillObservableInput?(input: Record<string, unknown>, context: PermissionContext): Record<string, unknown>;
}

/** A tool as the engine uses it. Build one with `buildTool`. */
export interface Tool<Input = unknown, Output = unknown, Progress = unknown>
  extends
    ToolIdentity<Input>,
    ToolSchema,
    ToolSafety<Input>,
    ToolPermissions<Input>,
    ToolExecution<Input, Output, Progress>,
    ToolLoading,
    ToolPresentation<Input, Output, Progress> {}
