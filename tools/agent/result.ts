import type { AgentAnswer, CallContext, ToolResult } from '../../src/contract/index.ts';
import type { AgentInput } from './input.ts';

export type AgentOutput =
  | {
      readonly session_id: string;
      readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
      readonly tool_uses: number;
      readonly stop: AgentAnswer['stop'];
    }
  | { readonly task_id: string; readonly output_file: string };

const STOPS: Readonly<Record<AgentAnswer['stop'], string>> = {
  end_turn: '',
  max_turns: ' It reached its limit of answers, so that its work may be unfinished.',
  max_tokens: ' It reached a limit of tokens, so that its work may be unfinished.',
};

/** How it went, in one line. */
export function summaryOf({ usage, toolUses, sessionId, stop }: AgentAnswer): string {
  const calls = `${toolUses} tool ${toolUses === 1 ? 'call' : 'calls'}`;
  return `[The agent (session ${sessionId}) made ${calls} and used ${usage.inputTokens} tokens in, ${usage.outputTokens} out.${STOPS[stop]}]`;
}

export function answerOf(answer: AgentAnswer, notes: readonly string[]): ToolResult<AgentOutput> {
  const { text, usage, toolUses, sessionId, stop } = answer;
  return {
    content: [text || '(The agent ended without a word.)', '', summaryOf(answer), ...notes.map((note) => `[${note}]`)].join('\n'),
    output: {
      session_id: sessionId,
      usage: { input_tokens: usage.inputTokens, output_tokens: usage.outputTokens },
      tool_uses: toolUses,
      stop,
    },
  };
}

export function answerOfTask(taskId: string, { name, team_name: team }: AgentInput, { tasks }: CallContext): ToolResult<AgentOutput> {
  const outputFile = tasks.outputFile(taskId);
  const lines = [
    `The agent works in the background as ${taskId}. Calls of it that need a yes are denied there.`,
    `What it says and does is written to ${outputFile}, which Read can open.`,
    'TaskOutput shows what is new and waits for the end; TaskStop ends it. What the session runs in the background ends with the session.',
    ...(team === undefined ? [] : [`It is "${name}" in team "${team}": SendMessage writes to it.`]),
  ];
  return { content: lines.join('\n'), output: { task_id: taskId, output_file: outputFile } };
}
