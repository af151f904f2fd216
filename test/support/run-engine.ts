// Runs the engine in process, with all ports filled by the plainest thing that works.
import { setImmediate, setTimeout } from 'node:timers/promises';
import { createCatalog } from '../../src/toolbox/catalog.ts';
import { runTools } from '../../src/engine/run-tools.ts';
import type { Guards } from '../../src/engine/call/call-case.ts';
import type { ExecutionOptions } from '../../src/engine/execution-options.ts';
import { TurnControl } from '../../src/engine/turn-control.ts';
import type { EngineEvent, Policy, Tool, ToolUse } from '../../src/contract/index.ts';
import { NO_APPROVALS, NO_CLIENT, NO_HOOKS, NO_SERVICES, NO_TOOLS } from './nobody.ts';

const unused = (): never => {
  throw new Error('not used in this test');
};

export const allowAll: Policy = { decide: () => ({ behavior: 'allow', decided_by: 'test' }) };

/** Options with what a test changes; guards may be named one by one. */
export function engineOptions(tools: readonly Tool[], change: Partial<ExecutionOptions & Guards> = {}): ExecutionOptions {
  const {
    catalog = createCatalog(tools),
    policy = allowAll,
    hooks = NO_HOOKS,
    approvals = NO_APPROVALS,
    client = NO_CLIENT,
    ...options
  } = change;
  return {
    turnId: 'turn_test',
    format: 'anthropic',
    facts: { sessionId: 'ses_test', workspace: '/w', readableRoots: ['/w'], writableRoots: ['/w'], env: {} },
    state: Object.freeze({ cwd: '/w', mode: 'bypassPermissions', todos: [], loadedTools: [] }),
    guards: { catalog, policy, hooks, approvals, client },
    services: {
      files: {
        absolute: unused,
        real: (path) => Promise.resolve(path),
        withFile: unused,
        confine: unused,
        look: unused,
        write: unused,
        remembered: unused,
        remember: unused,
        remembersAny: () => false,
      },
      commands: { run: unused, exec: unused, reattach: unused, forget: () => Promise.resolve() },
      toolIndex: NO_TOOLS,
      ...NO_SERVICES,
    },
    outputs: { pathFor: (_turn, index) => `/outputs/${index}.txt`, write: (_path, text) => Promise.resolve(Buffer.byteLength(text)) },
    limits: { maxConcurrency: 10, graceMs: 50, bufferedEvents: 1000 },
    schedule: 'partition',
    onToolError: 'cancel_siblings',
    control: new TurnControl(),
    ...options,
  };
}

/** All events of a turn, in order. */
export async function runAll(calls: Iterable<ToolUse> | AsyncIterable<ToolUse>, options: ExecutionOptions): Promise<EngineEvent[]> {
  const events: EngineEvent[] = [];
  for await (const batch of runTools(calls, options)) events.push(...batch);
  return events;
}

/** A turn that runs while the test looks on. */
export interface RunningTurn {
  /** All events, when the turn has ended. */
  readonly events: Promise<EngineEvent[]>;
  /** The first event that the test accepts. @throws Error when the turn ends without it */
  event(accept: (event: EngineEvent) => boolean): Promise<EngineEvent>;
}

export function startAll(calls: Iterable<ToolUse> | AsyncIterable<ToolUse>, options: ExecutionOptions): RunningTurn {
  const seen: EngineEvent[] = [];
  const looking = new Set<() => void>();
  const run = async (): Promise<EngineEvent[]> => {
    for await (const batch of runTools(calls, options)) {
      seen.push(...batch);
      for (const look of looking) look();
    }
    return seen;
  };
  const events = run();
  return {
    events,
    async event(accept) {
      const { promise, resolve } = Promise.withResolvers<EngineEvent>();
      const look = (): void => {
        const found = seen.find(accept);
        if (found !== undefined) resolve(found);
      };
      looking.add(look);
      look();
      const ended = events.then(() => seen.find(accept) ?? Promise.reject(new Error('The turn ended without that event.')));
      return Promise.race([promise, ended]).finally(() => looking.delete(look));
    },
  };
}

/** Accepts the event of this type that tells of this call. */
export function of(type: EngineEvent['type'], id: string): (event: EngineEvent) => boolean {
  return (event) => event.type === type && 'tool_use_id' in event && event.tool_use_id === id;
}

/** Lets everything that is ready to happen happen: promises, turns of the loop, timers without a delay. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) {
    await setImmediate();
    await setTimeout(1);
  }
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
