// What clients of MCP call in tests, and how the service looks behind them.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { buildTool, type Tool } from '../../../src/contract/index.ts';
import type { Json, TestServer } from '../../support/server.ts';
import { newTrace, workTool, type Trace } from '../../support/test-tools.ts';

export const KEYS = { TOOLEXEC_API_KEYS: 'one:first-secret,two:second-secret' };
export const as = (key: string) => ({ authorization: `Bearer ${key}` });
/** What a client takes as an answer. */
export const ACCEPT = { accept: 'application/json, text/event-stream' };

/** Asks before every call. */
export const careful = buildTool({
  name: 'Careful',
  description: () => 'Asks first.',
  inputSchema: z.strictObject({ text: z.string().default('') }),
  checkPermissions: () => ({ behavior: 'ask', reason: 'It always asks.' }),
  call: ({ text }) => ({ content: `did ${text}` }),
}) as Tool;

/** Touches nothing outside of the session, so that it runs without being asked for. */
export function freeTool(trace: Trace = newTrace(), name = 'Work'): Tool {
  return buildTool<Tool['inputSchema']>({ ...workTool(trace, { name }), permissionSubjects: () => [] });
}

export async function sessions(server: TestServer, headers = {}): Promise<Json[]> {
  return (await server.request('GET', '/v1/sessions', undefined, headers)).body['data'] as Json[];
}

/** Resolves when no session is left. */
export async function allGone(server: TestServer): Promise<void> {
  while ((await sessions(server)).length > 0) await sleep(10);
}
