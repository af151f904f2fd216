import type { AgentAnswer, AgentOrder, Agents } from '../contract/index.ts';
import { AGENT_KINDS, kindOf, systemFor } from './agent-types.ts';
import type { OpenAgentSession, StreamingModel } from './ports.ts';
import { runAgent, type RunLimits } from './run-agent.ts';

export interface AgentLimits extends RunLimits {
  /** Levels of agents below the session: with 0 it may start none. */
  readonly depth: number;
  /** Agents of the session that run at once. */
  readonly perSession: number;
}

/** What is enough for work of hours; the answer is as long as every newer model gives one. */
export const AGENT_LIMITS: AgentLimits = { depth: 2, perSession: 8, maxTurns: 100, maxTokens: 10_000_000, answerTokens: 16_000 };

export interface AgentsOptions {
  readonly model: StreamingModel;
  /** Makes a session for an agent of this session. */
  readonly open: OpenAgentSession;
  readonly limits: AgentLimits;
}

/** The agents of one session. Those that they start themselves are the concern of their own sessions. */
export function createAgents({ model, open, limits }: AgentsOptions): Agents {
  let running = 0;
  const start = async (given: AgentOrder): Promise<AgentAnswer> => {
    const kind = kindOf(given.type);
    const order = kind.mode === undefined ? given : { ...given, state: { ...given.state, mode: kind.mode } };
    const session = await open(order);
    try {
      order.onProgress({ kind: 'agent', session_id: session.id, status: 'started' });
      return await runAgent({ model, session, order, system: systemFor(kind, order), limits });
    } finally {
      await session.close();
    }
  };
  return {
    types: AGENT_KINDS.map(({ name, description }) => ({ name, description })),
    async run(order) {
      if (limits.depth < 1) throw new Error('An agent at this depth starts no others: do the work yourself.');
      if (running >= limits.perSession) {
        throw new Error(`${running} agents run in this session, as many as may: wait until one has ended, or stop one.`);
      }
      running += 1;
      try {
        return await start(order);
      } finally {
        running -= 1;
      }
    },
  };
}
