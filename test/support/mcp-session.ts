// One session's view of MCP servers, as the service opens it, with programs and a hub that end with the test.
import { SCHEMA_JUDGE } from '../../src/composition/schema-judge.ts';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { ApprovalAnswer, OpenProgram, People, RemoteTools, Tool } from '../../src/contract/index.ts';
import { McpHub, type McpHubOptions, type NamedServer } from '../../src/mcp/client/hub.ts';
import type { McpLimits } from '../../src/mcp/client/ports.ts';
import type { ServerSettings, StdioSettings } from '../../src/mcp/client/server-settings.ts';
import { openProgram } from '../../src/sandbox/open-program/open-program.ts';
import { toolHarness, type ToolCallOptions, type ToolHarness, type ToolRunReport } from './tool-harness.ts';

const REFERENCE_SERVERS = {
  'server-everything': import.meta.resolve('@modelcontextprotocol/server-everything/package.json'),
  'server-filesystem': import.meta.resolve('@modelcontextprotocol/server-filesystem/package.json'),
  'server-memory': import.meta.resolve('@modelcontextprotocol/server-memory/package.json'),
  'server-sequential-thinking': import.meta.resolve('@modelcontextprotocol/server-sequential-thinking/package.json'),
};
type ReferenceServer = keyof typeof REFERENCE_SERVERS;
const FIXTURES = fileURLToPath(new URL('../mcp/client/fixtures/', import.meta.url));
export const PROGRAM_ENV = { PATH: '/usr/local/bin:/usr/bin:/bin' };

export interface HubInTest {
  readonly hub: McpHub;
  /** What was reported, one a line. */
  readonly reports: string[];
  readonly open: (servers: Readonly<Record<string, ServerSettings>>, options?: OpenOptions) => Promise<SessionInTest>;
}

export interface OpenOptions {
  readonly owner?: string;
  readonly origin?: NamedServer['origin'];
  readonly openProgram?: OpenProgram;
  readonly workspace?: string;
}

export interface SessionInTest {
  readonly remote: RemoteTools;
  readonly workspace: string;
  readonly connect: () => Promise<void>;
  readonly tool: (name: string) => Tool;
  readonly names: () => string[];
  readonly call: (name: string, input: Record<string, unknown>, options?: ToolCallOptions) => Promise<ToolRunReport>;
}

const NEVER = new AbortController().signal;

/** Its limits are short ones, so that what waits for them is quick. */
export async function hubInTest(t: TestContext, limits: Partial<McpLimits> = {}, more: Partial<McpHubOptions> = {}): Promise<HubInTest> {
  const reports: string[] = [];
  const hub = new McpHub({
    fetchFor: () => fetch,
    report: (what) => void reports.push(what),
    schemas: SCHEMA_JUDGE,
    clientInfo: { name: 'toolexec', version: '0.0.0' },
    limits: { backOffMs: 10, maxBackOffMs: 50, ...limits },
    ...more,
  });
  const harness = await toolHarness(t);
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'toolexec-mcp-')));
  t.after(async () => {
    await hub.close();
    await rm(directory, { recursive: true, force: true });
  });
  return {
    hub,
    reports,
    open: async (servers, options = {}) => {
      const workspace = options.workspace ?? (await mkdtemp(join(directory, 'workspace-')));
      const { origin = 'session', owner = 'owner' } = options;
      const remote = hub.open({
        owner,
        sessionId: 'ses_test',
        workspace,
        servers: Object.entries(servers).map(([name, settings]) => ({ name, settings, origin })),
        openProgram: options.openProgram ?? plainProgram,
      });
      return sessionOf(remote, workspace, harness);
    },
  };
}

/** Outside of any sandbox. */
export const plainProgram: OpenProgram = ({ command, args, cwd, env }) =>
  openProgram({ command, args, cwd, env: { ...PROGRAM_ENV, ...env } });

function sessionOf(remote: RemoteTools, workspace: string, harness: ToolHarness): SessionInTest {
  const tool = (name: string): Tool => {
    const found = remote.tools().find((each) => each.name === name);
    if (found === undefined)
      throw new Error(
        `There is no tool ${name} among ${remote
          .tools()
          .map((each) => each.name)
          .join(', ')}.`,
      );
    return found;
  };
  return {
    remote,
    workspace,
    tool,
    connect: () => remote.connect(NEVER),
    names: () => remote.tools().map(({ name }) => name),
    call: (name, input, options) => harness.call(tool(name) as Tool<Record<string, unknown>>, input, options),
  };
}

/** A server of the tests' own, by the name of its file. */
export function fixture(file: string, ...args: string[]): StdioSettings {
  return { type: 'stdio', command: process.execPath, args: [join(FIXTURES, file), ...args], env: {} };
}

/** A public server, as its package starts it. */
export function referenceServer(name: ReferenceServer, ...args: string[]): StdioSettings {
  return { type: 'stdio', command: process.execPath, args: [referenceFile(name), ...args], env: {} };
}

export function referenceFile(name: ReferenceServer): string {
  return join(dirname(fileURLToPath(REFERENCE_SERVERS[name])), 'dist', 'index.js');
}

/** People who give these answers, one a question; what they were asked stands in `asked`. */
export function peopleWho(...answers: ApprovalAnswer[]): { people: People; asked: { reason: string; input?: unknown }[] } {
  const asked: { reason: string; input?: unknown }[] = [];
  return {
    asked,
    people: {
      approve: (question) => {
        asked.push(question);
        return Promise.resolve(answers[asked.length - 1] ?? { behavior: 'deny', by: 'client' });
      },
      callClient: () => Promise.resolve({ content: '', isError: true }),
    },
  };
}
