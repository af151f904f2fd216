// What a server lists, reduced to what can be used: a tool that a model's API or our validator would refuse is left out alone.
import { setImmediate } from 'node:timers/promises';
import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import type { SchemaJudge } from './ports.ts';

/** Characters of a schema as JSON. */
const MAX_SCHEMA = 100_000;
/** Milliseconds of checking after which others have a turn. */
const TURN_MS = 10;

export interface CheckedTools {
  readonly tools: readonly ServerTool[];
  /** What was left out, and why. */
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
}

/** @param check.max tools of one server; further ones are left out */
export async function checkTools(
  listed: readonly ServerTool[],
  { max, schemas }: { max: number; schemas: SchemaJudge },
): Promise<CheckedTools> {
  const tools = new Map<string, ServerTool>();
  const leftOut: { name: string; reason: string }[] = [];
  let since = performance.now();
  for (const tool of listed.slice(0, max)) {
    const reason = tools.has(tool.name) ? 'another one of the server has the same name' : faultOf(tool, schemas);
    if (reason === undefined) tools.set(tool.name, tool);
    else leftOut.push({ name: tool.name, reason });
    if (performance.now() - since < TURN_MS) continue;
    await setImmediate();
    since = performance.now();
  }
  if (listed.length > max) {
    leftOut.push({
      name: `the last ${listed.length - max}`,
      reason: `a server may have ${max} tools, and this one lists ${listed.length}`,
    });
  }
  return { tools: [...tools.values()], leftOut };
}

function faultOf({ inputSchema }: ServerTool, schemas: SchemaJudge): string | undefined {
  if (JSON.stringify(inputSchema).length > MAX_SCHEMA) return `its inputSchema has more than ${MAX_SCHEMA} characters`;
  return schemas.fault(inputSchema);
}
