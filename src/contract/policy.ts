// The port that decides whether a call may run. Order: hooks → deny rules → ask rules → the tool's own check → mode → allow rules → ask.
import type { Decision } from './decision.ts';
import type { PermissionContext, Tool } from './tool.ts';

/** A decision with what only the engine needs of it. */
export interface Judgement extends Decision {
  /** With `ask`: rules that would allow such calls from now on, the narrowest useful one first. */
  readonly suggestions?: readonly string[];
  /** With `allow`: the input the tool's own check wants instead; it is valid. */
  readonly input?: unknown;
}

/** What a PreToolUse hook thinks of a call. Its `allow` skips a question, and never a deny or ask rule. */
export interface HookOpinion {
  readonly behavior: 'allow' | 'ask' | 'deny';
  readonly reason?: string;
}

/** A call that is ready to be judged: its input is coerced and valid. */
export interface JudgedCall {
  readonly toolUseId: string;
  readonly tool: Tool;
  readonly input: unknown;
  readonly readOnly: boolean;
  readonly hook?: HookOpinion;
}

export interface Policy {
  /** Gives the decision; one that throws counts as deny. */
  decide(call: JudgedCall, context: PermissionContext): Judgement | Promise<Judgement>;
}
