// A real server on this machine behind a tool of a session, reached by the guarded way out, and the engine in front of it.
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { ToolDefinitionError, type EngineEvent, type Fetch, type Tool } from '../../src/contract/index.ts';
import { createCustomTools } from '../../src/custom/create-custom-tools.ts';
import { CustomTools, type CustomTool } from '../../src/custom/definition.ts';
import { parseEgress } from '../../src/network/egress.ts';
import { createGuardedFetch } from '../../src/network/guarded-fetch.ts';
import { schemaFault } from '../../src/toolbox/input/check-schema.ts';
import { listen, stop } from '../network/mock-network.ts';
import { engineOptions, resultText, results, runAll, use } from '../support/run-engine.ts';

/** What a tool's server was sent. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: {
    readonly tool_use_id: string;
    readonly session_id: string;
    readonly name: string;
    readonly input: Record<string, unknown>;
  };
}

export interface ToolServer {
  readonly base: string;
  /** All requests, in order. */
  readonly received: Received[];
  readonly fetch: Fetch;
}

/** A server that the operator lets sessions reach. */
export async function toolServer(t: TestContext, answer: (response: ServerResponse, request: Received) => void): Promise<ToolServer> {
  const received: Received[] = [];
  const { server, port } = await listen((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const { method = '', url: path = '', headers } = request;
      const got = { method, path, headers, body: JSON.parse(text) as Received['body'] };
      received.push(got);
      answer(response, got);
    });
  });
  t.after(() => stop(server));
  return { base: `http://127.0.0.1:${port}`, received, fetch: guardedFetch(t, [`127.0.0.1:${port}`]) };
}

/** The way out as the service has it. @param egress what the operator opens */
export function guardedFetch(t: TestContext, egress: readonly string[] = []): Fetch {
  const guarded = createGuardedFetch({ egress: parseEgress(egress) });
  t.after(() => guarded.close());
  return (url, request) => guarded.fetch(url, request);
}

/** No call of the test goes out. */
export const noFetch: Fetch = () => Promise.reject(new Error('not used in this test'));

/** As the service judges schemas. */
export function checkSchema(tool: Tool): void {
  const fault = schemaFault(tool);
  if (fault !== undefined) throw new ToolDefinitionError(fault);
}

/** A definition as a session gives it, with what a test changes. */
export function definition(change: object = {}): unknown {
  const { client, http } = { client: undefined, http: undefined, ...change };
  const runs = client === undefined && http === undefined ? { client: true } : {};
  return { name: 'lookup', description: 'Looks something up.', input_schema: { type: 'object' }, ...runs, ...change };
}

/** The tools that these definitions give, checked as the service checks them. */
export function customTools(given: readonly unknown[], fetch: Fetch = noFetch): readonly Tool[] {
  return createCustomTools(CustomTools.parse(given), { fetch, checkSchema });
}

export function customTool(change: object = {}, fetch: Fetch = noFetch): Tool {
  const [tool] = customTools([definition(change)], fetch);
  if (tool === undefined) throw new Error('One definition gives one tool.');
  return tool;
}

interface Change {
  readonly http?: Partial<CustomTool['http']>;
  readonly [key: string]: unknown;
}

/** A tool behind a server. */
export function servedTool({ base, fetch }: Pick<ToolServer, 'base' | 'fetch'>, change: Change = {}): Tool {
  return customTool({ ...change, http: { url: `${base}/call`, ...change.http } }, fetch);
}

export interface Ended {
  readonly outcome: string;
  readonly text: string;
  readonly events: readonly EngineEvent[];
}

/** Runs one call of a tool through the engine. */
export async function callOnce(
  tool: Tool,
  input: unknown = {},
  options: Parameters<typeof engineOptions>[1] & { id?: string } = {},
): Promise<Ended> {
  const { id = 'toolu_1', ...change } = options;
  const events = await runAll([use(id, tool.name, input)], engineOptions([tool], change));
  const [result] = results(events);
  return { outcome: result?.outcome ?? 'none', text: resultText(result), events };
}
