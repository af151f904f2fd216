// The program that the public conformance suite starts: it does with our client what a scenario wants. The server's URL is its
// last argument, the scenario stands in the environment.
import { SCHEMA_JUDGE } from '../../src/composition/schema-judge.ts';
import type { CallContext, People, ToolResult, Tool } from '../../src/contract/index.ts';
import { McpHub } from '../../src/mcp/client/hub.ts';

const url = process.argv.at(-1) ?? '';
const hub = new McpHub({
  fetchFor: () => fetch,
  report: (what) => console.error(what),
  schemas: SCHEMA_JUDGE,
  clientInfo: { name: 'toolexec', version: '0.0.0' },
});
const people: People = {
  approve: () => Promise.resolve({ behavior: 'allow', by: 'client' }),
  callClient: () => Promise.resolve({ content: '', isError: true }),
};
const { signal } = new AbortController();
const session = hub.open({
  owner: 'conformance',
  sessionId: 'ses_conformance',
  workspace: '/',
  servers: [{ name: 'suite', settings: { type: 'http', url, headers: {} }, origin: 'session' }],
  openProgram: () => Promise.reject(new Error('The suite has no programs.')),
});

/** An input that the schema takes. */
function inputFor({ inputSchema }: Tool): Record<string, unknown> {
  const { properties = {} } = inputSchema as { properties?: Record<string, { type?: string }> };
  return Object.fromEntries(Object.entries(properties).map(([name, { type }]) => [name, type === 'string' ? 'text' : 2]));
}

async function call(tool: Tool): Promise<ToolResult> {
  const run = tool.call(inputFor(tool), { signal, people } as CallContext) as AsyncGenerator<unknown, ToolResult>;
  for (let step = await run.next(); ; step = await run.next()) if (step.done === true) return step.value;
}

await session.connect(signal);
for (const tool of session.tools()) console.error(tool.name, JSON.stringify(await call(tool)));
process.exitCode = session.servers.every(({ state }) => state === 'ready') ? 0 : 1;
await hub.close();
