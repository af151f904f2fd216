// What is needed to judge and run one call, and how it may end.
import type {
  Approvals,
  CallContext,
  ClientCalls,
  ContextModifier,
  Decision,
  EngineEvent,
  Hooks,
  Intent,
  Outcome,
  PermissionContext,
  Policy,
  StopReason,
  ToolCatalog,
  ToolResult,
  ToolUse,
} from '../../contract/index.ts';
import type { BegunCall } from './begun-call.ts';
import type { CallStop } from './call-stop.ts';
import type { ReadyCall } from '../prepare/prepare.ts';
import type { Slots } from './slots.ts';
import type { Waits } from './queue-time.ts';

/** Whatever has a say in whether a call runs. */
export interface Guards {
  readonly catalog: ToolCatalog;
  readonly policy: Policy;
  readonly hooks: Hooks;
  readonly approvals: Approvals;
  readonly client: ClientCalls;
  /** Asked right before each effect: false when the session may be worked on by another node by now. Absent: it never is. */
  readonly mayStart?: () => boolean;
}

export interface CallCase {
  readonly use: ToolUse;
  readonly guards: Guards;
  readonly permissions: PermissionContext;
  readonly turnId: string;
  /** What the tool gets. @param decision who let the call run */
  readonly contextFor: (decision: Decision) => CallContext;
  readonly stop: CallStop;
  readonly waits: Waits;
  /** Where it has a place while it works. */
  readonly slots: Slots;
  /** What the running call has asked of people: whether a question is open, and until none is. */
  readonly outside: { readonly asks: boolean; closed(): Promise<void> };
  /** Set once the tool has ended: what stops the call from then on cannot undo it. */
  ended?: CallEnding;
  /** Milliseconds that judging and running may take, each. */
  readonly timeoutMs: number;
  /** The turn was interrupted before: each start is journalled first, so that a call that brings the service down is known by it. */
  readonly resumed: boolean;
  /** Set when an attempt at this call was interrupted. */
  readonly begun: BegunCall | undefined;
  /** Set while that attempt may have had an effect that nobody knows of: what the model is told, however else the call ends. */
  doubt: string | undefined;
  /** Tells that the call starts; resolves when that is journalled. */
  announce(ready: ReadyCall, decision: Decision, intent: Intent | undefined): Promise<void>;
  readonly progress: (data: unknown) => void;
  readonly tell: (event: EngineEvent) => void;
  /** A hook has ended the turn. */
  halt(reason: string): void;
}

/** How a call ended, before its text is made fit for the model. */
export interface CallEnding {
  readonly outcome: Outcome;
  /** Set when the tool gave a result, also a failed one. */
  readonly result?: ToolResult;
  /** Set when there is no result: the reason, for the model. */
  readonly message?: string;
  readonly modifiers: readonly ContextModifier[];
  readonly decision?: Decision;
  /** What hooks want the model to know beside the result. */
  readonly notes?: readonly string[];
}

export function stoppedEnding({ kind, message }: StopReason): CallEnding {
  return { outcome: kind, message, modifiers: [] };
}
