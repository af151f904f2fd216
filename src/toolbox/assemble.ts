// Which tools a session has. Four filters in order: what the session names, bare deny rules, isEnabled, then merge and sort.
import type { DescribeContext, EnableContext, Tool, ToolCatalog } from '../contract/index.ts';
import { createCatalog } from './catalog.ts';
import { byCodePoint } from './code-point.ts';
import type { ExportedTool, ExportFormat } from './export-formats.ts';
import { exportTools, hashTools } from './export-formats.ts';

export interface PoolOptions {
  readonly builtIn: readonly Tool[];
  /** Tools from outside: a session's own, or a remote server's. */
  readonly external?: readonly Tool[];
  /** Names or aliases; `null` or absent means all. */
  readonly include?: readonly string[] | null;
  readonly exclude?: readonly string[];
  /** True for a tool that a deny rule names without a specifier. */
  readonly isDenied?: (tool: Tool) => boolean;
  readonly enable: EnableContext;
}

export interface ToolPool {
  /** Built-in tools by name, then external ones by name: adding an external tool never moves a built-in one. */
  readonly tools: readonly Tool[];
  readonly count: number;
  readonly catalog: ToolCatalog;
  /** `sha256:…` over the exported definitions. */
  hash(context: DescribeContext): string;
  export(format: ExportFormat, context: DescribeContext): ExportedTool[];
}

/** On equal names the built-in tool wins. @throws ToolDefinitionError when two tools of one origin share a name or an alias */
export function assemblePool(options: PoolOptions): ToolPool {
  const builtIn = choose(options.builtIn, options);
  const names = new Set(builtIn.map((tool) => tool.name));
  const external = choose(options.external ?? [], options).filter((tool) => !names.has(tool.name));
  const tools = Object.freeze([...builtIn, ...external]);
  return {
    tools,
    count: tools.length,
    catalog: createCatalog(tools),
    hash: (context) => hashTools(tools, context),
    export: (format, context) => exportTools(tools, format, context),
  };
}

function choose(tools: readonly Tool[], options: PoolOptions): Tool[] {
  const { include, exclude = [], isDenied, enable } = options;
  return tools
    .filter((tool) => (!include || isNamed(tool, include)) && !isNamed(tool, exclude))
    .filter((tool) => !isDenied?.(tool))
    .filter((tool) => isEnabled(tool, enable))
    .toSorted((left, right) => byCodePoint(left.name, right.name));
}

function isNamed(tool: Tool, names: readonly string[]): boolean {
  return names.includes(tool.name) || tool.aliases.some((alias) => names.includes(alias));
}

function isEnabled(tool: Tool, context: EnableContext): boolean {
  try {
    const enabled: unknown = tool.isEnabled(context);
    return enabled === true;
  } catch {
    // A tool that cannot say whether it is there is not.
    return false;
  }
}
