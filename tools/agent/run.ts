// One call: the agent works while what it does is passed on, then its last words are the result.
import type { AgentProgress, CallContext, ToolEmission, ToolResult } from '../../src/contract/index.ts';
import { startInBackground } from './background.ts';
import type { AgentInput } from './input.ts';
import { MovableAgent } from './movable-agent.ts';
import { answerOf, answerOfTask, type AgentOutput } from './result.ts';

export async function* runAgentCall(
  input: AgentInput,
  context: CallContext,
): AsyncGenerator<ToolEmission<AgentProgress>, ToolResult<AgentOutput>, void> {
  const { types } = context.agents;
  if (!types.some(({ name }) => name === input.subagent_type)) {
    const known = types.map(({ name, description }) => `"${name}" (${description})`).join(' ');
    throw new Error(`There is no type of agent "${input.subagent_type}". There is: ${known || 'none'}`);
  }
  if (input.run_in_background === true || input.team_name !== undefined) {
    return answerOfTask(startInBackground(input, context), input, context);
  }
  const agent = new MovableAgent(input, context);
  try {
    for await (const data of agent.pieces()) {
      if (!context.signal.aborted) yield { type: 'progress', data };
    }
    const outcome = await agent.outcome();
    return outcome.kind === 'moved' ? answerOfTask(outcome.taskId, input, context) : answerOf(outcome.answer, agent.notes);
  } finally {
    await agent.leave();
  }
}
