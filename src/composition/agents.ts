// Agents as sessions use them: a loop with the operator's model, whose calls run in a session within the session.
import { AGENT_LIMITS, createAgents } from '../agents/create-agents.ts';
import type { AgentSession, StreamingModel } from '../agents/ports.ts';
import type { Config } from '../config.ts';
import type { AgentOrder, Agents, SessionState } from '../contract/index.ts';
import { runChildTurn } from '../sessions/agents/child-turn.ts';
import type { SessionRegistry } from '../sessions/registry/registry.ts';
import type { ServedSession } from '../sessions/session-parts.ts';

export interface AgentsOptions {
  readonly config: Pick<Config, 'limits'>;
  readonly model: StreamingModel;
  /** Asked when an agent begins: the sessions are there by then. */
  readonly sessions: () => SessionRegistry;
}

/** @returns a function that gives the agents of one session */
export function joinAgents({ config, model, sessions }: AgentsOptions): (session: ServedSession) => Agents {
  const { agents_per_session: perSession, agent_depth: depth } = config.limits;
  return (parent) => {
    const level = parent.child?.depth ?? 0;
    return createAgents({
      model,
      limits: { ...AGENT_LIMITS, perSession, depth: depth - level },
      open: async (order) => {
        const { turnId, toolUseId, member } = order;
        const child = await sessions().createWithin({
          parent,
          child: {
            sessionId: parent.id,
            turnId,
            toolUseId,
            root: parent.child?.root ?? { sessionId: parent.id, turnId },
            depth: level + 1,
            ...(member && { member }),
          },
          state: stateFor(order.state),
        });
        // What its servers have is there from its first question on.
        await child.toolbox.connect(order.signal);
        return asAgentSession(child, { order, sessions: sessions() });
      },
    });
  };
}

interface AskedFor {
  readonly order: AgentOrder;
  readonly sessions: SessionRegistry;
}

function asAgentSession(
  child: Awaited<ReturnType<SessionRegistry['createWithin']>>,
  { order: { people, onProgress }, sessions }: AskedFor,
): AgentSession {
  return {
    id: child.id,
    tools: () => child.toolbox.export('anthropic', child.described),
    async run(calls, signal) {
      const onEvent = (event: Readonly<Record<string, unknown>>): void => onProgress({ kind: 'agent_event', event });
      return runChildTurn(child, { calls, signal, people, onEvent });
    },
    close: () => sessions.rest(child),
  };
}

/** Directory, mode and what is granted; nothing of what the parent has in mind. */
function stateFor({ cwd, mode, grants }: SessionState): SessionState {
  return { cwd, mode, todos: [], loadedTools: [], ...(grants && { grants }) };
}
