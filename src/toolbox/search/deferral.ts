// Which tools a model learns of only when it searches for them. Hidden are schemas, never the tools themselves.
import type { DescribeContext, Tool } from '../../contract/index.ts';
import { definitionOf } from './search-definition.ts';

/** The tool that loads the others: it is always there, and where it is not, nothing is deferred. */
export const SEARCH_TOOL = 'ToolSearch';

const CHARS_PER_TOKEN = 4;
/** Share of the context that definitions from outside may fill before they are deferred. */
const CONTEXT_SHARE = 0.1;

export type SearchMode = 'on' | 'off' | 'auto';

export interface DeferralChoice {
  readonly tools: readonly Tool[];
  /** Those of the tools that the session has brought itself. */
  readonly custom: ReadonlySet<Tool>;
  /** Those of the tools that come from servers elsewhere. */
  readonly remote: ReadonlySet<Tool>;
  readonly search: SearchMode;
  /** Tokens that a model's context holds. */
  readonly contextTokens: number;
  /** Names of tools that were loaded before. */
  readonly loaded: ReadonlySet<string>;
  readonly context: DescribeContext;
}

/**
 * `on` defers what asks for it, and all that comes from outside. `auto` leaves built-in tools as they are, and defers those
 * from outside once they fill too much of the context; a tool of the session's own that asks for it is deferred in any case.
 */
export function deferredTools(choice: DeferralChoice): ReadonlySet<Tool> {
  const { tools, custom, search } = choice;
  if (search === 'off' || !tools.some(({ name }) => name === SEARCH_TOOL)) return new Set();
  const candidates = tools.filter((tool) => !tool.alwaysLoad);
  const external = candidates.filter((tool) => isExternal(tool, choice));
  if (search === 'on') return new Set(candidates.filter((tool) => tool.shouldDefer || isExternal(tool, choice)));
  const asking = external.filter((tool) => custom.has(tool) && tool.shouldDefer);
  const others = external.filter((tool) => !asking.includes(tool));
  return new Set(wereDeferred(others, choice) || isTooMuch(external, choice) ? external : asking);
}

function isExternal(tool: Tool, { custom, remote }: DeferralChoice): boolean {
  return custom.has(tool) || remote.has(tool);
}

/** Their references stand in the conversation, and a model's API takes such for deferred tools alone. */
function wereDeferred(tools: readonly Tool[], { loaded }: DeferralChoice): boolean {
  return tools.some(({ name }) => loaded.has(name));
}

function isTooMuch(tools: readonly Tool[], { contextTokens, context }: DeferralChoice): boolean {
  let left = contextTokens * CONTEXT_SHARE * CHARS_PER_TOKEN;
  return tools.some((tool) => {
    left -= JSON.stringify(definitionOf(tool, context)).length;
    return left < 0;
  });
}

/** What a model is told that guessed the input of a tool it has not seen. */
export function unsentHint(name: string): string {
  return `You have not seen the schema of ${name} yet. Call ${SEARCH_TOOL} with the query "select:${name}" to load it, then call ${name} again.`;
}
