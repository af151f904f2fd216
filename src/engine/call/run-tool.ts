// Turns a tool's value, promise or stream of emissions into one stream that ends in a result.
import { setImmediate } from 'node:timers/promises';
import type { CallContext, ContextModifier, Tool, ToolEmission, ToolResult } from '../../contract/index.ts';

/** After this many emissions in a row the loop lets timers and sockets have a turn, so that no tool can starve the service. */
const EMISSIONS_PER_TURN_OF_THE_LOOP = 32;

export interface ToolListener {
  progress(data: unknown): void;
  modifier(modify: ContextModifier): void;
}

/** @throws whatever the tool throws, and TypeError when it gives no result */
export async function runTool(tool: Tool, run: { input: unknown; context: CallContext }, listener: ToolListener): Promise<ToolResult> {
  const started = tool.call(run.input, run.context);
  const result = isGenerator(started) ? await drain(started, run.context.signal, listener) : await started;
  if (!isResult(result)) {
    throw new TypeError(`The tool ${tool.name} gave no result: it must return an object whose content is text or a list of blocks.`);
  }
  return result;
}

type Generator = AsyncGenerator<ToolEmission, ToolResult, void>;

async function drain(generator: Generator, signal: AbortSignal, listener: ToolListener): Promise<ToolResult> {
  try {
    for (let emissions = 1; ; emissions += 1) {
      const step = await generator.next();
      if (step.done) return step.value;
      if (step.value.type === 'progress') listener.progress(step.value.data);
      else listener.modifier(step.value.modify);
      if (emissions % EMISSIONS_PER_TURN_OF_THE_LOOP !== 0) continue;
      await setImmediate();
      if (signal.aborted) throw new Error('The tool went on after it was stopped.');
    }
  } catch (error) {
    // A stream that is left is closed; what its `finally` blocks do is awaited by nobody, and an error there has nobody to go to.
    generator.return({ content: '' }).catch(() => {});
    throw error;
  }
}

function isGenerator(value: ReturnType<Tool['call']>): value is Generator {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

const BLOCK_TYPES = new Set(['text', 'image', 'document', 'tool_reference']);

/** Whether a tool gave what it must: an author without types may give anything. */
export function isResult(result: unknown): result is ToolResult {
  return typeof result === 'object' && result !== null && 'content' in result && isContent(result.content);
}

function isContent(content: unknown): boolean {
  return typeof content === 'string' || (Array.isArray(content) && content.every(isBlock));
}

function isBlock(block: unknown): boolean {
  if (typeof block !== 'object' || block === null) return false;
  const { type, text, source, tool_name: toolName } = block as Record<string, unknown>;
  if (typeof type !== 'string' || !BLOCK_TYPES.has(type)) return false;
  if (type === 'text') return typeof text === 'string';
  return type === 'tool_reference' ? typeof toolName === 'string' : typeof source === 'object' && source !== null;
}
