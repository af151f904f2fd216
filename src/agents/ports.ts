// What an agent stands on: a session of its own that runs its calls, and a model that is asked in a conversation.
import type Anthropic from '@anthropic-ai/sdk';
import type { AgentOrder, Model, ModelUsage, ToolResultBlock, ToolUse } from '../contract/index.ts';

/**
 * The session in which the calls of one agent run. Whoever opens it passes its events on to `order.onProgress`, as
 * `agent_event`, and puts the approvals its turns wait for to `order.people`.
 */
export interface AgentSession {
  readonly id: string;
  /** Definitions as the Messages API takes them, as they are at this moment. */
  tools(): readonly Readonly<Record<string, unknown>>[];
  /**
   * Runs the calls of one assistant message as one turn.
   * @returns the content of the user message that answers it, one result a call; `stop` when a hook ends the agent here
   */
  run(
    calls: readonly ToolUse[],
    signal: AbortSignal,
  ): Promise<{ readonly content: readonly ToolResultBlock[]; readonly stop?: { readonly reason: string } }>;
  /** Ends what still runs in it. Never throws. */
  close(): Promise<void>;
}

/** @throws Error fit for a model when no session can be made */
export type OpenAgentSession = (order: AgentOrder) => Promise<AgentSession>;

/** Reads the argument text of a call; text that is no JSON object comes back with an error for the model. */
export type ReadInput = (text: string) => Pick<ToolUse, 'input' | 'inputError'>;

/** A conversation so far, to be gone on with. */
export interface ModelQuestion {
  readonly system: string;
  readonly messages: readonly Anthropic.MessageParam[];
  readonly tools: readonly Readonly<Record<string, unknown>>[];
  /** Tokens of the answer at most. */
  readonly maxTokens: number;
  readonly signal: AbortSignal;
  /** The words of the answer, piece by piece as they come. Said again from the start where an answer broke off. */
  readonly onText: (text: string) => void;
}

export interface ModelReply {
  /** The blocks of the answer, as the API wants them back in the next question. */
  readonly content: readonly Anthropic.ContentBlockParam[];
  readonly calls: readonly ToolUse[];
  /** Its text blocks, one below the other. */
  readonly text: string;
  /** As the API says it: `end_turn`, `tool_use`, `max_tokens`, … */
  readonly stopReason: string;
  readonly usage: ModelUsage;
}

export interface StreamingModel extends Model {
  /** @throws Error fit for a model when the model fails, also after more than one try */
  stream(question: ModelQuestion): Promise<ModelReply>;
}
