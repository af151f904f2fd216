import { clipped, textOf, type AgentProgress, type ToolResult, type View } from '../../src/contract/index.ts';
import type { AgentInput } from './input.ts';
import type { AgentOutput } from './result.ts';
import { viewOf } from './told-event.ts';

/** Characters of a task that its view shows. */
const MAX_PROMPT = 2_000;

export function viewUse({ description, subagent_type: type, prompt, name }: AgentInput): View {
  const subtitle = name === undefined ? type : `${type}, ${name}`;
  return { title: `Agent: ${description}`, subtitle, body: { kind: 'markdown', text: clipped(prompt, MAX_PROMPT) }, collapsed: true };
}

export function viewProgress(data: AgentProgress): View {
  switch (data.kind) {
    case 'agent':
      return { title: 'Agent', subtitle: `began, session ${data.session_id}` };
    case 'agent_text':
      return { title: 'Agent', body: { kind: 'markdown', text: data.text } };
    case 'agent_event':
      return viewEvent(data.event);
  }
}

function viewEvent(event: Readonly<Record<string, unknown>>): View {
  const { data, type } = event;
  const isOutput = typeof data === 'object' && data !== null && 'text' in data && typeof data.text === 'string';
  if (isOutput) return { title: 'Agent', body: { kind: 'terminal', text: String(data.text) } };
  return viewOf(event) ?? { title: 'Agent', subtitle: String(type).replaceAll('_', ' ') };
}

export function viewResult({ description }: AgentInput, { content, output }: ToolResult<AgentOutput>): View {
  const title = `Agent: ${description}`;
  const body = { kind: 'markdown' as const, text: textOf(content) };
  if (output === undefined) return { title, body };
  if ('task_id' in output) return { title, subtitle: `in the background, ${output.task_id}`, body, collapsed: true };
  const tokens = output.usage.input_tokens + output.usage.output_tokens;
  return { title, subtitle: `${output.tool_uses} tool calls, ${tokens} tokens`, body };
}

export function viewRejected({ description }: AgentInput, reason: string): View {
  return { title: `Agent: ${description}`, subtitle: 'not allowed', body: { kind: 'text', text: reason } };
}

export function viewGroup(inputs: readonly AgentInput[]): View {
  return {
    title: 'Agents',
    subtitle: `${inputs.length} agents`,
    body: { kind: 'list', items: inputs.map(({ description, subagent_type: type }) => `${description} (${type})`) },
  };
}
