// What a server lists, reduced to what can be used: a tool that a model's API or our validator would refuse is left out alone.
import { setImmediate } from 'node:timers/promises';
import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import { jsonLength } from './json-length.ts';
import type { SchemaJudge } from './ports.ts';
import { tidyTool } from './tidy-tool.ts';

/** Characters of a schema as JSON. */
const MAX_SCHEMA = 100_000;
/** Milliseconds of checking after which others have a turn. */
const TURN_MS = 10;

export interface CheckedTools {
  readonly tools: readonly ServerTool[];
  /** What was left out, and why. */
  readonly leftOut: readonly LeftOut[];
  /** Why the last ones were not looked at, if so. */
  readonly cutShort: string | undefined;
  /** Milliseconds that it took, without the turns of others. */
  readonly workMs: number;
}

export interface LeftOut {
  readonly name: string;
  readonly reason: string;
}

export interface ToolCheck {
  readonly schemas: SchemaJudge;
  /** What a server says of its tools goes through it. */
  readonly tidy: (text: string) => string;
  /** Milliseconds of work; what is not checked by then is left out. */
  readonly checkMs: number;
  readonly signal: AbortSignal;
}

/** @throws the signal's reason when that fires */
export async function checkTools(listed: readonly ServerTool[], check: ToolCheck): Promise<CheckedTools> {
  const tools = new Map<string, ServerTool>();
  const leftOut: LeftOut[] = [];
  let workMs = 0;
  let turnMs = 0;
  for (const tool of listed) {
    if (workMs > check.checkMs) break;
    const since = performance.now();
    const checked = tools.has(tool.name) ? 'another one of the server has the same name' : checkTool(tool, check);
    if (typeof checked === 'string') leftOut.push({ name: tool.name, reason: checked });
    else tools.set(tool.name, checked);
    const tookMs = performance.now() - since;
    workMs += tookMs;
    turnMs += tookMs;
    if (turnMs < TURN_MS) continue;
    await setImmediate();
    check.signal.throwIfAborted();
    turnMs = 0;
  }
  const cutShort = tools.size + leftOut.length < listed.length ? `checking them takes more than ${check.checkMs} ms` : undefined;
  return { tools: [...tools.values()], leftOut, cutShort, workMs };
}

/** @returns the tool as it can be shown, or why it cannot be used */
function checkTool(tool: ServerTool, { schemas, tidy }: ToolCheck): ServerTool | string {
  const { inputSchema, outputSchema = {} } = tool;
  if (jsonLength(inputSchema) > MAX_SCHEMA) return `its inputSchema has more than ${MAX_SCHEMA} characters`;
  if (jsonLength(outputSchema) > MAX_SCHEMA) return `its outputSchema has more than ${MAX_SCHEMA} characters`;
  try {
    const tidied = tidyTool(tool, tidy);
    return schemas.fault(tidied.inputSchema) ?? tidied;
  } catch {
    // The stack was not enough for it.
    return 'its inputSchema is nested too deeply';
  }
}
