// A search for tools: the servers they come from are waited for, then names are looked up or words are ranked.
import type { DescribeContext, FoundTool, RemoteServer, RemoteTools, Tool, ToolIndex, ToolSearch } from '../../contract/index.ts';
import type { ToolPool } from '../assemble.ts';
import { definitionOf } from './search-definition.ts';
import type { SearchIndex } from './search-index.ts';
import { parseSearchQuery, type SearchQuery } from './search-query.ts';

/** Results of one search at most, whatever was asked for. */
const MAX_RESULTS = 50;
/** Names that are told as near to one that is not there. */
const NEAR_NAMES = 3;
/** Unknown names that are told of. */
const MAX_UNKNOWN = 10;
/** Characters of an unknown name, or of the reason why a server failed, that are shown. */
const MAX_SHOWN = 200;

const EMPTY_QUERY =
  'The query is empty. Say in a few words what the tool should do, or give exact names as "select:first_name,second_name".';

export interface SearchSources {
  /** What there is at the moment. */
  contents(): { readonly pool: ToolPool; readonly deferred: ReadonlySet<Tool> };
  readonly remote: RemoteTools;
  readonly context: DescribeContext;
  connect(signal: AbortSignal): Promise<void>;
  indexOf(pool: ToolPool): Promise<SearchIndex>;
}

interface Findings {
  readonly tools: readonly Tool[];
  readonly notes: readonly string[];
}

export function createToolIndex(sources: SearchSources): ToolIndex {
  return {
    async search(query, maxResults, signal) {
      const asked = parseSearchQuery(query);
      const isThere = asked.kind === 'select' && asked.names.every((name) => shownTool(name, sources.contents().pool));
      const waits = asked.kind !== 'empty' && !isThere;
      if (waits) await sources.connect(signal);
      const { tools, notes } = await find(asked, clamp(maxResults), sources);
      return answer(sources, { tools, notes: waits ? [...notes, ...sources.remote.servers.flatMap(absence)] : notes });
    },
  };
}

function clamp(maxResults: number): number {
  return Math.min(Math.max(1, Math.trunc(maxResults) || 1), MAX_RESULTS);
}

function find(asked: SearchQuery, maxResults: number, sources: SearchSources): Findings | Promise<Findings> {
  if (asked.kind === 'empty') return { tools: [], notes: [EMPTY_QUERY] };
  return asked.kind === 'select' ? select(asked.names, sources) : rank(asked, maxResults, sources);
}

/** Exactly what was named, deferred or not. */
async function select(names: readonly string[], sources: SearchSources): Promise<Findings> {
  const { pool } = sources.contents();
  const found = names.map((name) => ({ name, tool: shownTool(name, pool) }));
  const tools = [...new Set(found.flatMap(({ tool }) => tool ?? []))];
  const unknown = found.filter(({ tool }) => tool === undefined).map(({ name }) => name);
  const notes = await Promise.all(unknown.slice(0, MAX_UNKNOWN).map((name) => unknownName(name, pool, sources)));
  if (unknown.length > MAX_UNKNOWN) notes.push(`${unknown.length - MAX_UNKNOWN} more of the names are not those of tools.`);
  if (tools.length > MAX_RESULTS) notes.push(`These are the first ${MAX_RESULTS}; select the others in another call.`);
  return { tools: tools.slice(0, MAX_RESULTS), notes };
}

/** One that models may see: what a rule denies is not. */
function shownTool(name: string, pool: ToolPool): Tool | undefined {
  const tool = pool.catalog.find(name);
  return tool !== undefined && pool.tools.includes(tool) ? tool : undefined;
}

async function unknownName(name: string, pool: ToolPool, sources: SearchSources): Promise<string> {
  const shown = name.slice(0, MAX_SHOWN);
  const near = (await sources.indexOf(pool)).rank({ words: [shown], required: [] }).slice(0, NEAR_NAMES);
  const said = `No tool is named ${JSON.stringify(shown)}.`;
  return near.length === 0 ? said : `${said} Names like it: ${near.map((tool) => tool.name).join(', ')}.`;
}

/** A tool of exactly this name, then those that are deferred, then those that the model has anyway. */
async function rank(asked: SearchQuery & { kind: 'keywords' }, maxResults: number, sources: SearchSources): Promise<Findings> {
  const { pool, deferred } = sources.contents();
  const ranked = (await sources.indexOf(pool)).rank(asked);
  const named = asked.required.length > 0 ? [] : pool.tools.filter((tool) => isCalled(tool, asked.text));
  const tools = new Set([...named, ...ranked.filter((tool) => deferred.has(tool)), ...ranked]);
  const notes =
    tools.size > 0 ? [] : [`No tool fits ${JSON.stringify(asked.text.slice(0, MAX_SHOWN))}: try other words, or fewer with a plus.`];
  return { tools: [...tools].slice(0, maxResults), notes };
}

/** By its name, a former one, or the name it has on its server; in any case of letters. */
function isCalled(tool: Tool, text: string): boolean {
  const wanted = text.toLowerCase();
  return [tool.name, ...tool.aliases, tool.name.replace(/^mcp__.+?__/, '')].some((name) => name.toLowerCase() === wanted);
}

/** Why tools of a server are not among those found. */
function absence({ name, state, reason }: RemoteServer): string[] {
  if (state === 'ready') return [];
  if (state !== 'failed') return [`The server ${name} is not connected yet, so its tools are not among these: search again in a moment.`];
  const why = reason === undefined ? '.' : `: ${reason.slice(0, MAX_SHOWN)}`;
  return [`The server ${name} could not be reached, so its tools are not there${why}`];
}

function answer(sources: SearchSources, { tools, notes }: Findings): ToolSearch {
  const { deferred } = sources.contents();
  const found = (tool: Tool): FoundTool => {
    const { name, description, input_schema: inputSchema } = definitionOf(tool, sources.context);
    return { name, description, inputSchema, deferred: deferred.has(tool) };
  };
  return { matches: tools.map(found), deferredCount: deferred.size, notes };
}
