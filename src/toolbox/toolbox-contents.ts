import type { DescribeContext, RemoteTools, SessionState, Tool } from '../contract/index.ts';
import type { ToolPool } from './assemble.ts';
import { deferredTools, type SearchMode } from './search/deferral.ts';
import type { PoolChoice } from './toolbox-shared.ts';

/** What decides which tools a session has. */
export interface SessionTools {
  /** Tools that the session has brought itself. */
  readonly custom: readonly Tool[];
  readonly remote: RemoteTools;
  readonly choice: {
    /** Names or aliases; `null` means all. */
    readonly include: readonly string[] | null;
    readonly exclude: readonly string[];
    readonly search: SearchMode;
  };
  /** True for a tool that a deny rule names without a specifier. Asked when the tools change. */
  isDenied(tool: Tool): boolean;
  /** The session's state at the moment. */
  state(): Pick<SessionState, 'loadedTools'>;
  readonly context: DescribeContext;
  /** What the session has that tools may need, beside what the service has. */
  readonly flags?: readonly string[];
  /** Told of each tool from outside that cannot be had, and why. */
  readonly onLeftOut?: (name: string, reason: string) => void;
}

/** What a toolbox holds at one moment. */
export interface Contents {
  readonly pool: ToolPool;
  readonly deferred: ReadonlySet<Tool>;
  /** Names of deferred tools whose schema the model has seen. */
  readonly loaded: ReadonlySet<string>;
}

export interface ContentsParts {
  assemble(choice: PoolChoice): ToolPool;
  /** Tokens that a model's context holds. */
  readonly contextTokens: number;
}

/** Gives the same object until the tools of a server or the loaded ones change; only the former cost a new pool. */
export function contentsOf(session: SessionTools, parts: ContentsParts): () => Contents {
  const { remote } = session;
  let assembled: Assembled | undefined;
  let seen: readonly string[] | undefined;
  let contents: Contents | undefined;
  return () => {
    const { loadedTools } = session.state();
    const isNew = assembled?.version !== remote.version;
    if (assembled === undefined || isNew) assembled = assembleNow(session, parts);
    if (contents === undefined || isNew || seen !== loadedTools) {
      seen = loadedTools;
      contents = lookInto(assembled, { session, parts, loaded: new Set(loadedTools) });
    }
    return contents;
  };
}

interface Assembled {
  readonly version: number;
  readonly pool: ToolPool;
  readonly remote: ReadonlySet<Tool>;
}

function assembleNow(session: SessionTools, parts: ContentsParts): Assembled {
  const { custom, remote, choice, flags = [], onLeftOut } = session;
  const { version } = remote;
  const tools = remote.tools();
  const pool = parts.assemble({
    external: [...custom, ...tools],
    include: choice.include,
    exclude: choice.exclude,
    flags,
    isDenied: (tool) => session.isDenied(tool),
    ...(onLeftOut && { onLeftOut }),
  });
  return { version, pool, remote: new Set(tools) };
}

interface Looking {
  readonly session: SessionTools;
  readonly parts: ContentsParts;
  readonly loaded: ReadonlySet<string>;
}

function lookInto({ pool, remote }: Assembled, { session, parts, loaded }: Looking): Contents {
  const { custom, choice, context } = session;
  const { contextTokens } = parts;
  const deferred = deferredTools({
    tools: pool.tools,
    custom: new Set(custom),
    remote,
    search: choice.search,
    contextTokens,
    loaded,
    context,
  });
  return { pool, deferred, loaded };
}
