// The loop of an agent against a real server, with a session that does as the test says.
import { createAgents, AGENT_LIMITS, type AgentLimits } from '../../src/agents/create-agents.ts';
import { createModel, type ModelOptions } from '../../src/agents/create-model.ts';
import type { StreamingModel } from '../../src/agents/ports.ts';
import type { AgentAnswer, AgentOrder, AgentProgress, Agents, ToolResultBlock, ToolUse } from '../../src/contract/index.ts';
import { inputFromText } from '../../src/formats/call-input.ts';
import { NO_PEOPLE } from '../support/nobody.ts';
import { startModelServer, type ModelServer, type Script, type Until } from '../support/model-server.ts';

export const KEY = 'sk-test-0123456789';

export function modelAt(url: string, options: Partial<ModelOptions> = {}): StreamingModel {
  return keylessModelAt(url, { apiKey: KEY, ...options });
}

export function keylessModelAt(url: string, options: Partial<ModelOptions> = {}): StreamingModel {
  return createModel({ baseUrl: url, model: 'scripted', readInput: inputFromText, firstWaitMs: 1, ...options });
}

export interface Loop {
  readonly server: ModelServer;
  readonly agents: Agents;
  readonly progress: AgentProgress[];
  /** Calls that reached the session, in order. */
  readonly calls: ToolUse[];
  /** What each session was opened with. */
  readonly opened: { order: AgentOrder }[];
  closed: number;
  run(order?: Partial<AgentOrder>): Promise<AgentAnswer>;
}

export interface LoopOptions {
  readonly limits?: Partial<AgentLimits>;
  /** What a call answers; an error is its `is_error` result. */
  readonly answer?: (call: ToolUse, signal: AbortSignal) => string | Promise<string>;
  readonly stop?: { reason: string };
}

export async function startLoop(t: Until, script: Script, { limits, answer = () => 'done', stop }: LoopOptions = {}): Promise<Loop> {
  const server = await startModelServer(t, script);
  const progress: AgentProgress[] = [];
  const calls: ToolUse[] = [];
  const opened: Loop['opened'] = [];
  const agents = createAgents({
    model: modelAt(server.url),
    limits: { ...AGENT_LIMITS, ...limits },
    open: async (order) => {
      opened.push({ order });
      return {
        id: `ses_${opened.length}`,
        tools: () => [{ name: 'Echo', description: 'Says it again.', input_schema: { type: 'object' } }],
        async run(uses, signal) {
          calls.push(...uses);
          const content = await Promise.all(uses.map((use) => resultOf(use, answer(use, signal))));
          return stop === undefined ? { content } : { content, stop };
        },
        close: async () => {
          loop.closed += 1;
        },
      };
    },
  });
  const loop: Loop = {
    server,
    agents,
    progress,
    calls,
    opened,
    closed: 0,
    run: (order = {}) =>
      agents.run({
        turnId: 'turn_1',
        toolUseId: 'toolu_lead',
        prompt: 'Do it.',
        type: 'general-purpose',
        state: { cwd: '/w', mode: 'default', todos: [], loadedTools: [] },
        signal: new AbortController().signal,
        people: NO_PEOPLE,
        onProgress: (data) => progress.push(data),
        ...order,
      }),
  };
  return loop;
}

async function resultOf(use: ToolUse, answer: string | Promise<string>): Promise<ToolResultBlock> {
  if (use.inputError !== undefined) return { type: 'tool_result', tool_use_id: use.id, content: use.inputError, is_error: true };
  return { type: 'tool_result', tool_use_id: use.id, content: await answer, is_error: false };
}
