// A session's toolbox over tools that a test chooses, with servers that a test connects and fails when it likes.
import { buildTool, NO_REMOTE_TOOLS, type RemoteServer, type RemoteTools, type Tool, type Toolbox } from '../../src/contract/index.ts';
import { createToolboxes } from '../../src/toolbox/toolbox.ts';
import type { SessionTools } from '../../src/toolbox/toolbox-contents.ts';
import ToolSearch from '../../tools/tool-search/index.ts';
import { sampleTool } from './sample-tools.ts';

export const context = { workspace: '/workspace' };
export const enable = { platform: 'linux', flags: new Set<string>() } as const;
export const never = new AbortController().signal;

export interface World {
  readonly toolbox: Toolbox;
  load(...names: string[]): void;
}

export interface WorldOptions extends Partial<Omit<SessionTools, 'choice' | 'state'>> {
  readonly builtIn?: readonly Tool[];
  readonly contextTokens?: number;
  readonly include?: readonly string[] | null;
  readonly exclude?: readonly string[];
  readonly search?: SessionTools['choice']['search'];
}

/** Built-in tools are the search tool and those of the options. */
export function openWorld({ builtIn = [], include = null, exclude = [], search = 'on', ...options }: WorldOptions = {}): World {
  let state = { loadedTools: [] as readonly string[] };
  const { contextTokens } = options;
  const open = createToolboxes({
    builtIn: [ToolSearch, ...builtIn],
    enable,
    ...(contextTokens !== undefined && { contextTokens }),
  });
  const toolbox = open({
    custom: [],
    remote: NO_REMOTE_TOOLS,
    isDenied: () => false,
    context,
    ...options,
    choice: { include, exclude, search },
    state: () => state,
  });
  return { toolbox, load: (...names) => void (state = { loadedTools: [...state.loadedTools, ...names] }) };
}

export interface Servers extends RemoteTools {
  /** What the next look sees. */
  set(tools: readonly Tool[], servers?: readonly RemoteServer[]): void;
  /** What `connect` and `ready` do before they resolve. */
  onConnect: (signal: AbortSignal, toolName?: string) => Promise<void> | void;
  closed: boolean;
}

export function servers(...tools: Tool[]): Servers {
  let now: { tools: readonly Tool[]; servers: readonly RemoteServer[]; version: number } = { tools, servers: [], version: 0 };
  return {
    closed: false,
    onConnect: () => {},
    set: (next, states = []) => void (now = { tools: next, servers: states, version: now.version + 1 }),
    tools: () => now.tools,
    get version() {
      return now.version;
    },
    get servers() {
      return now.servers;
    },
    async connect(signal) {
      await this.onConnect(signal);
    },
    async ready(toolName, signal) {
      await this.onConnect(signal, toolName);
    },
    async close() {
      this.closed = true;
    },
  };
}

/** A tool as a server elsewhere would give it. */
export function remoteTool(name: string, description = `The tool ${name}.`, parameters: readonly string[] = []): Tool {
  const properties = Object.fromEntries(parameters.map((key) => [key, { type: 'string', description: `The ${key}.` }]));
  return sampleTool(name, { shouldDefer: true, inputSchema: { type: 'object', properties }, description: () => description });
}

/** Names in an export, whatever its format. */
export function exportedNames(tools: readonly object[]): string[] {
  return tools.map((tool) => (tool as { name?: string }).name ?? (tool as { function: { name: string } }).function.name);
}

/** Names of what a search finds. */
export async function found({ toolbox }: World, query: string, maxResults = 5): Promise<string[]> {
  const { matches } = await toolbox.index.search(query, maxResults, never);
  return matches.map(({ name }) => name);
}

/** A tool that needs a parameter, so that a call can be wrong. */
export function strictTool(name: string, rest: Partial<Tool> = {}): Tool {
  const inputSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false };
  return buildTool<Tool['inputSchema']>({
    name,
    inputSchema,
    description: () => 'Tells the weather.',
    call: () => ({ content: '' }),
    ...rest,
  });
}
