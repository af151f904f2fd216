// Runs the engine in process, with all ports filled by the plainest thing that works.
import { createCatalog } from '../../src/toolbox/catalog.ts';
import { runTools } from '../../src/engine/run-tools.ts';
import type { ExecutionOptions } from '../../src/engine/streaming-executor.ts';
import { TurnControl } from '../../src/engine/turn-control.ts';
import type { EngineEvent, Policy, Tool, ToolUse } from '../../src/contract/index.ts';

const unused = (): never => {
  throw new Error('not used in this test');
};

export const allowAll: Policy = { decide: () => ({ behavior: 'allow', decided_by: 'test' }) };

export function engineOptions(tools: readonly Tool[], change: Partial<ExecutionOptions> = {}): ExecutionOptions {
  return {
    turnId: 'turn_test',
    facts: { sessionId: 'ses_test', workspace: '/w', env: {} },
    state: Object.freeze({ cwd: '/w', mode: 'bypassPermissions', todos: [], loadedTools: [] }),
    catalog: createCatalog(tools),
    policy: allowAll,
    services: {
      files: { absolute: unused, withFile: unused, confine: unused, look: unused, write: unused, remembered: unused, remember: unused },
      commands: { run: unused, exec: unused },
    },
    outputs: { pathFor: (_turn, index) => `/outputs/${index}.txt`, write: (_path, text) => Promise.resolve(Buffer.byteLength(text)) },
    limits: { maxConcurrency: 10, graceMs: 50, bufferedEvents: 1000 },
    onToolError: 'cancel_siblings',
    control: new TurnControl(),
    ...change,
  };
}

/** All events of a turn, in order. */
export async function runAll(calls: Iterable<ToolUse> | AsyncIterable<ToolUse>, options: ExecutionOptions): Promise<EngineEvent[]> {
  const events: EngineEvent[] = [];
  for await (const batch of runTools(calls, options)) events.push(...batch);
  return events;
}

export function use(id: string, name: string, input: unknown = {}): ToolUse {
  return { id, name, input };
}

type ResultEvent = Extract<EngineEvent, { type: 'tool_result' }>;

export function results(events: readonly EngineEvent[]): ResultEvent[] {
  return events.filter((event): event is ResultEvent => event.type === 'tool_result');
}

export function resultText(event: ResultEvent | undefined): string {
  const content = event?.result.content ?? '';
  return typeof content === 'string'
    ? content
    : content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
}

export function outcomes(events: readonly EngineEvent[]): string[] {
  return results(events).map(({ tool_use_id, outcome }) => `${tool_use_id} ${outcome}`);
}
