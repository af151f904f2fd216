// The port to the operator's language model, and to agents that work with it.
import type { People } from './people.ts';
import type { SessionState } from './session-state.ts';

export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface ModelAnswer {
  readonly text: string;
  readonly usage: ModelUsage;
}

/** One question to the model, without tools. */
export interface Model {
  /** False: none is configured, and every question fails. */
  readonly available: boolean;
  /** @throws Error fit for a model when none is configured or it fails */
  ask(question: {
    readonly system?: string;
    readonly prompt: string;
    readonly maxTokens: number;
    readonly signal: AbortSignal;
  }): Promise<ModelAnswer>;
}

export interface AgentOrder {
  /** The turn and call that want it. */
  readonly turnId: string;
  readonly toolUseId: string;
  /** Of a member of a team: its name, by which it signs its messages. */
  readonly member?: { readonly team: string; readonly name: string };
  readonly prompt: string;
  /** Name of one of `types`. */
  readonly type: string;
  /** The state that the agent's session begins with: directory, mode and grants, nothing else. */
  readonly state: SessionState;
  readonly signal: AbortSignal;
  /** Who is asked where a call of the agent needs a yes. */
  readonly people: Pick<People, 'approve'>;
  /** What the agent does, as it happens. Must not throw. */
  readonly onProgress: (data: AgentProgress) => void;
  /** Messages of others for it, taken before each question to the model. */
  readonly inbox?: () => readonly string[];
  /** Asked when it has no more to do: messages to go on with, or none, which ends it. */
  readonly waitForMore?: () => Promise<readonly string[]>;
}

export type AgentProgress =
  /** The agent's own session was made. */
  | { readonly kind: 'agent'; readonly session_id: string; readonly status: 'started' }
  /** Its words, piece by piece; each of its answers ends with a line break. */
  | { readonly kind: 'agent_text'; readonly text: string }
  /** An event of the agent's session: its calls, as every reader sees them. */
  | { readonly kind: 'agent_event'; readonly event: Readonly<Record<string, unknown>> };

export interface AgentAnswer {
  /** The last words of the agent. */
  readonly text: string;
  readonly usage: ModelUsage;
  readonly toolUses: number;
  readonly sessionId: string;
  /** Why it ended: it had no more to do, or a limit was reached. */
  readonly stop: 'end_turn' | 'max_turns' | 'max_tokens';
}

export interface AgentType {
  readonly name: string;
  readonly description: string;
}

/** The agents that one session may start. */
export interface Agents {
  readonly types: readonly AgentType[];
  /** Runs one agent to its end. @throws Error fit for a model when there are too many, too deep, or the model fails */
  run(order: AgentOrder): Promise<AgentAnswer>;
}
