import { z } from 'zod';
import type { CallContext, FoundTool, SessionState, ToolResult, ToolSearch } from '../../src/contract/index.ts';
import { buildTool, descriptionOf, ONLY_READS, withLoaded } from '../../src/contract/index.ts';

const inputSchema = z.strictObject({
  query: z.string().max(2_000).describe('Words for what the tool should do, or "select:" and exact names with commas between them.'),
  max_results: z.int().min(1).max(50).default(5).describe('How many tools to find at most; names given with "select:" are all found.'),
});
type Input = z.output<typeof inputSchema>;

interface Output {
  /** Names, best first. */
  matches: string[];
  notes: readonly string[];
}

export default buildTool<typeof inputSchema, Output>({
  name: 'ToolSearch',
  searchHint: 'find and load other tools',
  inputSchema,
  description: descriptionOf(import.meta.url),
  alwaysLoad: true,
  ...ONLY_READS,
  permissionSubjects: () => [],
  timeoutMs: 60_000,
  call: findTools,
  renderUse: ({ query }) => ({ title: 'ToolSearch', subtitle: query }),
  renderResult: ({ query }, { output }) => ({
    title: 'ToolSearch',
    subtitle: `${query} (${output?.matches.length ?? 0})`,
    body: { kind: 'list', items: [...(output?.matches ?? []), ...(output?.notes ?? [])] },
    collapsed: true,
  }),
  renderGroup: (inputs) => ({ title: 'ToolSearch', subtitle: inputs.map(({ query }) => query).join(', '), collapsed: true }),
});

async function findTools({ query, max_results }: Input, { toolIndex, signal, format }: CallContext): Promise<ToolResult<Output>> {
  const found = await toolIndex.search(query, max_results, signal);
  const names = found.matches.filter(({ deferred }) => deferred).map(({ name }) => name);
  return {
    content: format === 'anthropic' ? asReferences(found, names) : asText(found, found.matches.map(definition)),
    output: { matches: found.matches.map(({ name }) => name), notes: found.notes },
    ...(names.length > 0 && { contextModifier: (state: SessionState) => load(state, names) }),
  };
}

/** The API turns references into definitions. It takes them for deferred tools alone, and no other block beside them. */
function asReferences(found: ToolSearch, names: readonly string[]): ToolResult['content'] {
  if (names.length > 0) return names.map((name) => ({ type: 'tool_reference', tool_name: name }));
  const given = found.matches.map(({ name }) => name).join(', ');
  return asText(found, given === '' ? [] : [`You have these tools already, and can call them: ${given}.`]);
}

function asText({ notes, deferredCount }: ToolSearch, matches: readonly string[]): string {
  if (matches.length > 0) return [...matches, ...notes].join('\n');
  const left = deferredCount === 0 ? 'No tool is deferred: you have all that there are.' : `Deferred tools in all: ${deferredCount}.`;
  return [...notes, left].join('\n');
}

function definition({ name, description, inputSchema: parameters }: FoundTool): string {
  return JSON.stringify({ name, description, parameters });
}

function load(state: SessionState, names: readonly string[]): SessionState {
  if (names.every((name) => state.loadedTools.includes(name))) return state;
  return { ...state, loadedTools: withLoaded(state.loadedTools, names) };
}
