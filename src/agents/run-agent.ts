// One agent: the model is asked, its calls run, their results go back, until it has no more to do or a limit is reached.
import { messageOf, type AgentAnswer, type AgentOrder, type ModelUsage } from '../contract/index.ts';
import { Conversation } from './conversation.ts';
import type { AgentSession, ModelReply, StreamingModel } from './ports.ts';
import { inPieces } from './text-pieces.ts';

export interface RunLimits {
  /** Questions to the model of one agent. */
  readonly maxTurns: number;
  /** Tokens of all its questions and answers together. */
  readonly maxTokens: number;
  /** Tokens of one answer. */
  readonly answerTokens: number;
}

export interface AgentRun {
  readonly model: StreamingModel;
  readonly session: AgentSession;
  readonly order: AgentOrder;
  readonly system: string;
  readonly limits: RunLimits;
}

/** Stop reasons of an answer that was cut off where no more fits. */
const CUT_OFF = new Set(['max_tokens', 'model_context_window_exceeded']);
const LAST_TURN = 'This is your last step: call no tool, and answer with what you have.';

/** @throws Error fit for a model when the model or the session fails, or a hook stops it; it has the last words of the agent */
export async function runAgent(run: AgentRun): Promise<AgentAnswer> {
  const agent = new RunningAgent(run);
  try {
    return await agent.toTheEnd();
  } catch (error) {
    const words = agent.text === '' ? '' : `\nThe last words of the agent: ${agent.text}`;
    throw new Error(`The agent ended after ${agent.turns} steps. ${messageOf(error)}${words}`, { cause: error });
  }
}

type Stop = AgentAnswer['stop'];

class RunningAgent {
  text = '';
  turns = 0;
  readonly #run: AgentRun;
  readonly #talk = new Conversation();
  #toolUses = 0;
  #usage: ModelUsage = { inputTokens: 0, outputTokens: 0 };

  constructor(run: AgentRun) {
    this.#run = run;
    this.#talk.say([run.order.prompt]);
  }

  async toTheEnd(): Promise<AgentAnswer> {
    for (;;) {
      const stop = (await this.#step()) ?? (this.#talk.full ? 'max_tokens' : null);
      if (stop === 'end_turn' && (await this.#goesOn())) continue;
      if (stop !== null) return this.#answer(stop);
    }
  }

  /** Asks once, and runs what the model wants. @returns why it is over; `null` when there is more to ask */
  async #step(): Promise<Stop | null> {
    const { order, session, limits } = this.#run;
    this.#talk.say(order.inbox?.() ?? []);
    this.turns += 1;
    if (this.turns === limits.maxTurns && this.turns > 1) this.#talk.say([LAST_TURN]);
    const reply = await this.#ask();
    this.#talk.answered(reply.content);
    if (reply.stopReason === 'refusal') throw new Error('The model refuses to go on with this: ask for something else.');
    if (CUT_OFF.has(reply.stopReason)) return 'max_tokens';
    const isPaused = reply.stopReason === 'pause_turn' && reply.content.length > 0;
    if (reply.calls.length === 0 && !isPaused) return 'end_turn';
    if (this.turns >= limits.maxTurns) return 'max_turns';
    if (this.#usage.inputTokens + this.#usage.outputTokens >= limits.maxTokens) return 'max_tokens';
    if (reply.calls.length === 0) return null;
    this.#toolUses += reply.calls.length;
    const { content, stop } = await session.run(reply.calls, order.signal);
    if (stop !== undefined) throw new Error(`A hook stopped it: ${stop.reason}`);
    this.#talk.results(content);
    return null;
  }

  async #ask(): Promise<ModelReply> {
    const { model, session, order, system, limits } = this.#run;
    const { signal, onProgress } = order;
    const words = inPieces((text) => onProgress({ kind: 'agent_text', text }));
    try {
      const reply = await model.stream({
        system,
        messages: this.#talk.messages,
        tools: session.tools(),
        maxTokens: limits.answerTokens,
        signal,
        onText: words.push,
      });
      if (reply.text !== '') this.text = reply.text;
      this.#usage = {
        inputTokens: this.#usage.inputTokens + reply.usage.inputTokens,
        outputTokens: this.#usage.outputTokens + reply.usage.outputTokens,
      };
      return reply;
    } finally {
      words.end();
    }
  }

  /** Whether somebody has more for it to do. */
  async #goesOn(): Promise<boolean> {
    const { order, limits } = this.#run;
    if (order.waitForMore === undefined || this.turns >= limits.maxTurns) return false;
    const more = await order.waitForMore();
    this.#talk.say(more);
    return more.length > 0;
  }

  #answer(stop: Stop): AgentAnswer {
    return { text: this.text, usage: this.#usage, toolUses: this.#toolUses, sessionId: this.#run.session.id, stop };
  }
}
