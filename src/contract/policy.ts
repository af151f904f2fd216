// The port that decides whether a call may run.
import type { PermissionContext, Tool } from './tool.ts';

/** Who decided, in words for the call's event and for `plan`. */
export interface Decision {
  readonly behavior: 'allow' | 'ask' | 'deny';
  /** `mode`, `rule`, `hook`, `tool`, `policy` (something failed and failed closed), `approval`. */
  readonly decided_by: string;
  /** The text of the rule, when one decided. */
  readonly rule?: string;
  /** For people and for the model; present unless `allow`. */
  readonly reason?: string;
}

/** A call that is ready to be judged: its input is coerced and valid. */
export interface JudgedCall {
  readonly toolUseId: string;
  readonly tool: Tool;
  readonly input: unknown;
  readonly readOnly: boolean;
}

export interface Policy {
  /** Gives the decision; one that throws counts as deny. */
  decide(call: JudgedCall, context: PermissionContext): Decision | Promise<Decision>;
}
