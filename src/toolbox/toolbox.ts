// The tools of one session, as they are at each look: built-in ones, its own, and those of its servers, which come and go.
import type { DescribeContext, RemoteTools, Toolbox, ToolCatalog } from '../contract/index.ts';
import { unsentHint } from './search/deferral.ts';
import type { Deferral } from './schemas/export-formats.ts';
import { createToolIndex } from './search/search-tools.ts';
import { contentsOf, type Contents, type SessionTools } from './toolbox-contents.ts';
import { sharedIndexes, sharedPools, type Installation } from './toolbox-shared.ts';

/** Milliseconds that servers are waited for. */
const CONNECT_TIMEOUT_MS = 10_000;
const DEFAULT_CONTEXT_TOKENS = 200_000;

export interface ToolboxesOptions extends Installation {
  /** Tokens that a model's context holds; 200,000 unless given. */
  readonly contextTokens?: number;
}

/** Opens the toolboxes of sessions. @throws ToolDefinitionError when two built-in tools share a name */
export function createToolboxes(options: ToolboxesOptions): (session: SessionTools) => Toolbox {
  const { contextTokens = DEFAULT_CONTEXT_TOKENS } = options;
  const assemble = sharedPools(options);
  const indexOf = sharedIndexes();
  assemble({});
  return (session) => {
    const { remote, context } = session;
    const contents = contentsOf(session, { assemble, contextTokens });
    const connect = (signal: AbortSignal): Promise<void> => remote.connect(bounded(signal));
    return {
      catalog: liveCatalog(contents, remote),
      index: createToolIndex({ contents, remote, context, connect, indexOf: (pool) => indexOf(pool, context) }),
      get count() {
        return contents().pool.count;
      },
      get servers() {
        return remote.servers;
      },
      get busy() {
        return remote.busy === true;
      },
      hash: rememberedHash(contents),
      export: (format, about) => contents().pool.export(format, about, deferralOf(contents())),
      deferred: () => [...contents().deferred].map(({ name, searchHint }) => ({ name, search_hint: searchHint })),
      connect,
      ready: (toolName, signal) => remote.ready(toolName, bounded(signal)),
      close: () => remote.close(),
    };
  };
}

function liveCatalog(contents: () => Contents, remote: RemoteTools): ToolCatalog {
  const catalog = (): ToolCatalog => contents().pool.catalog;
  return {
    find: (name) => catalog().find(name),
    names: () => catalog().names?.() ?? [],
    schema: (tool) => catalog().schema(tool),
    validate: (tool, input) => catalog().validate(tool, input),
    whyMissing(name) {
      const server = remote.servers.find((each) => name.startsWith(`mcp__${each.name}__`));
      return server?.state === 'failed'
        ? `The MCP server ${server.name} is not there: ${server.reason ?? 'it cannot be reached.'}`
        : undefined;
    },
    unsentHint(tool) {
      const { deferred, loaded } = contents();
      return deferred.has(tool) && !loaded.has(tool.name) ? unsentHint(tool.name) : undefined;
    },
  };
}

/** Computed once for as long as nothing changes: every look at a session shows it. */
function rememberedHash(contents: () => Contents): Toolbox['hash'] {
  let last: { contents: Contents; context: DescribeContext; hash: string } | undefined;
  return (context) => {
    const now = contents();
    if (last?.contents !== now || last.context.workspace !== context.workspace || last.context.skills !== context.skills) {
      last = { contents: now, context, hash: now.pool.hash(context, deferralOf(now)) };
    }
    return last.hash;
  };
}

function deferralOf({ deferred, loaded }: Contents): Deferral {
  return { deferred: (tool) => deferred.has(tool), loaded: (tool) => loaded.has(tool.name) };
}

/** Fires with the signal, or when servers have been waited for as long as they may be. */
function bounded(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(CONNECT_TIMEOUT_MS)]);
}
