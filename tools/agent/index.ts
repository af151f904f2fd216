import { buildTool, descriptionOf, type AgentProgress } from '../../src/contract/index.ts';
import { agentInput, validateAgent } from './input.ts';
import type { AgentOutput } from './result.ts';
import { runAgentCall } from './run.ts';
import { viewGroup, viewProgress, viewRejected, viewResult, viewUse } from './views.ts';

const AN_HOUR_MS = 3_600_000;

export default buildTool<typeof agentInput, AgentOutput, AgentProgress>({
  name: 'Agent',
  aliases: ['Task'],
  searchHint: 'delegate a task to a sub-agent, in parallel or in the background',
  inputSchema: agentInput,
  description: descriptionOf(import.meta.url),
  userFacingName: (input) => (input ? `Agent: ${input.description}` : 'Agent'),
  isEnabled: ({ flags }) => flags.has('agent-depth'),
  // Two that run at once are like two sessions: each of their calls is judged and checked by itself.
  isConcurrencySafe: () => true,
  validateInput: validateAgent,
  // It does nothing by itself: rules and modes judge the calls of the agent, one by one. Only rules for the type may forbid it.
  permissionSubjects: ({ subagent_type: text }) => [{ kind: 'other', text, own: true }],
  toAutoClassifierInput: ({ subagent_type: type, prompt }) => `${type}: ${prompt}`,
  call: runAgentCall,
  timeoutMs: AN_HOUR_MS,
  effect: () => 'once',
  alwaysLoad: true,
  renderUse: viewUse,
  renderProgress: viewProgress,
  renderResult: viewResult,
  renderRejected: viewRejected,
  renderGroup: viewGroup,
});
