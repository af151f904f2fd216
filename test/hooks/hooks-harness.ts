// Hooks with everything real but the session around them: bash, files, sockets.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { z } from 'zod';
import {
  buildTool,
  type HookedCall,
  type HookEvent,
  type HookOccasion,
  type Hooks,
  type PermissionContext,
  type Tool,
} from '../../src/contract/index.ts';
import { createHooks, type HooksOptions } from '../../src/hooks/create-hooks.ts';
import { readHooks } from '../../src/hooks/hook-table.ts';
import { createHookCommandRunner } from '../../src/hooks/run-command.ts';

export const echo = buildTool({
  name: 'Echo',
  aliases: ['OldEcho'],
  description: () => 'Echo',
  inputSchema: z.strictObject({ text: z.string() }),
  call: ({ text }) => ({ content: text }),
}) as Tool;

export function callOf(input: unknown = { text: 'hi' }, tool: Tool = echo): HookedCall {
  return { toolUseId: 'toolu_1', tool, input };
}

/** One occasion of an event, about one call where it has one. */
export function occasionOf(event: HookEvent, call: HookedCall = callOf()): HookOccasion {
  switch (event) {
    case 'PreToolUse':
      return { event, call };
    case 'PostToolUse':
      return { event, call, content: 'said hi', output: { said: 'hi' }, durationMs: 3 };
    case 'PostToolUseFailure':
      return { event, call, error: 'it broke', interrupted: false, durationMs: 3 };
    case 'PostToolBatch':
      return { event, calls: [{ ...call, content: 'said hi' }] };
    case 'PermissionRequest':
      return { event, call, suggestions: ['Echo', 'Echo(text:*)'] };
    case 'PermissionDenied':
      return { event, call, reason: 'a rule denies it.' };
    case 'SessionStart':
      return { event, source: 'startup' };
    case 'SessionEnd':
      return { event, reason: 'deleted' };
  }
}

export async function workspaceOf(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'toolexec-hooks-'));
  t.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

export interface HooksBench {
  readonly hooks: Hooks;
  readonly context: PermissionContext;
  /** What hooks that failed were reported as. */
  readonly reports: readonly string[];
  readonly run: (occasion: HookOccasion, signal?: AbortSignal) => ReturnType<Hooks['run']>;
}

export interface BenchSettings {
  readonly operator?: unknown;
  readonly session?: unknown;
  readonly workspace?: string;
  readonly ports?: Partial<HooksOptions>;
}

/** Hooks as they were written down, and a way to ask them. */
export function benchOf({ operator = {}, session = {}, workspace = tmpdir(), ports = {} }: BenchSettings): HooksBench {
  const reports: string[] = [];
  const runner = createHookCommandRunner({ PATH: process.env['PATH'], HOME: tmpdir(), SECRET_KEY: 'canary' });
  const checkRule = (rule: string): string | undefined => (rule.includes('(((') ? 'it has too many brackets' : undefined);
  const hooks = createHooks({
    operator: readHooks(operator, { source: 'operator', checkRule }),
    session: readHooks(session, { source: 'session', checkRule }),
    canonicalName: (name) => (name === 'OldEcho' ? 'Echo' : name),
    matchesRule: (rule, { tool }) => rule.startsWith(tool.name),
    observe: (_tool, input) => input,
    commandFor: () => runner,
    fetchFor: () => fetch,
    variables: { TOKEN: 'operator-token', OTHER: 'other' },
    report: (what) => reports.push(what),
    ...ports,
  });
  const state = { cwd: workspace, mode: 'default', todos: [], loadedTools: [] } as const;
  const context: PermissionContext = { sessionId: 'ses_test', workspace, env: { TOKEN: 'session-token' }, state };
  const run = (occasion: HookOccasion, signal = new AbortController().signal) => hooks.run(occasion, context, signal);
  return { hooks, context, reports, run };
}

/** Settings with command hooks for one event, in one group. */
export function commands(event: HookEvent, ...lines: readonly string[]): unknown {
  return { [event]: [{ hooks: lines.map((command) => ({ type: 'command', command })) }] };
}

/** A line for bash that prints a value as JSON. */
export function prints(value: unknown, then = ''): string {
  return `printf %s ${quoted(typeof value === 'string' ? value : JSON.stringify(value))}; ${then}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** What a PreToolUse hook prints. */
export function decides(permissionDecision: string, more: Readonly<Record<string, unknown>> = {}): string {
  return prints({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, ...more } });
}
