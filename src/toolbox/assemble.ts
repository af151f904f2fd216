// Which tools a session has. Four filters in order: what the session names, bare deny rules, isEnabled, then merge and sort.
import { byCodePoint, type DescribeContext, type EnableContext, type Tool, type ToolCatalog, type ToolFormat } from '../contract/index.ts';
import { createCatalog } from './catalog.ts';
import { schemaFault } from './input/check-schema.ts';
import type { Deferral, ExportedTool } from './schemas/export-formats.ts';
import { exportTools, hashTools } from './schemas/export-formats.ts';
import { isNamed } from './is-named.ts';

export interface PoolOptions {
  readonly builtIn: readonly Tool[];
  /** Tools from outside: a session's own, or a remote server's. */
  readonly external?: readonly Tool[];
  /** Names or aliases; `null` or absent means all. */
  readonly include?: readonly string[] | null;
  readonly exclude?: readonly string[];
  /** True for a tool that stays whatever `include` and `exclude` say. */
  readonly always?: (tool: Tool) => boolean;
  /** True for a tool that a deny rule names without a specifier: models do not see it. */
  readonly isDenied?: (tool: Tool) => boolean;
  readonly enable: EnableContext;
  /** Told of each external tool that cannot be had, and why: what follows "the tool <name> is left out: ". */
  readonly onLeftOut?: (name: string, reason: string) => void;
}

export interface ToolPool {
  /** Built-in tools by name, then external ones by name: adding an external tool never moves a built-in one. */
  readonly tools: readonly Tool[];
  readonly count: number;
  /** Those and the denied ones: all that the catalog finds. */
  readonly known: readonly Tool[];
  readonly catalog: ToolCatalog;
  /** `sha256:…` over the exported definitions, and over which deferred ones are loaded. */
  hash(context: DescribeContext, deferral?: Deferral): string;
  export(format: ToolFormat, context: DescribeContext, deferral?: Deferral): ExportedTool[];
}

/**
 * On equal names the built-in tool wins, and of external ones the first.
 * @throws ToolDefinitionError when two built-in tools share a name or an alias
 */
export function assemblePool(options: PoolOptions): ToolPool {
  const chosen = choose(options.builtIn, options).toSorted(byName);
  const fromOutside = usable(choose(options.external ?? [], options), chosen, options.onLeftOut).toSorted(byName);
  const known = Object.freeze([...chosen, ...fromOutside]);
  const tools = Object.freeze(shownTools(known, options));
  return {
    tools,
    count: tools.length,
    known,
    // A call of a tool that a rule takes away is answered by that rule, not as one that nobody knows.
    catalog: { ...createCatalog(chosen, fromOutside), names: () => tools.map(({ name }) => name) },
    hash: (context, deferral) => hashTools(tools, context, deferral),
    export: (format, context, deferral) => exportTools(tools, { format, context, ...deferral }),
  };
}

/** Those that models see. */
export function shownTools(known: readonly Tool[], { isDenied }: Pick<PoolOptions, 'isDenied'>): Tool[] {
  return known.filter((tool) => !holds(() => isDenied?.(tool), true));
}

/** Those that the session names and that are there. */
export function choose(tools: readonly Tool[], options: Omit<PoolOptions, 'builtIn'>): Tool[] {
  const { include, exclude = [], always, enable } = options;
  return tools
    .filter((tool) => always?.(tool) === true || ((!include || isNamed(tool, include)) && !isNamed(tool, exclude)))
    .filter((tool) => holds(() => tool.isEnabled(enable), false));
}

/** External tools that have a name of their own and a schema that models take. */
function usable(external: readonly Tool[], builtIn: readonly Tool[], onLeftOut?: PoolOptions['onLeftOut']): Tool[] {
  const taken = new Map(builtIn.map(({ name }) => [name, 'a built-in tool has this name']));
  return external.filter((tool) => {
    const reason = taken.get(tool.name) ?? schemaFault(tool);
    if (reason !== undefined) {
      onLeftOut?.(tool.name, reason);
      return false;
    }
    taken.set(tool.name, 'another tool from outside has this name and came first');
    return true;
  });
}

function byName(left: Tool, right: Tool): number {
  return byCodePoint(left.name, right.name);
}

/** Exactly `true` counts as yes. @param broken what counts when there is no answer */
function holds(predicate: () => unknown, broken: boolean): boolean {
  try {
    return predicate() === true;
  } catch {
    // Whoever cannot say whether a tool is there, or allowed, does not bring it in.
    return broken;
  }
}
