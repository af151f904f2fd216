import type { Tool } from '../contract/index.ts';
import { ToolDefinitionError } from '../contract/index.ts';
import { byCodePoint } from './code-point.ts';

export interface ToolRegistry {
  /** By primary name, then by alias; any other text is an unknown tool. */
  find(name: string): Tool | undefined;
  /** Sorted by name, by code point. */
  list(): readonly Tool[];
}

/**
 * @param external tools of strangers: one of them neither takes a name or an alias from another tool nor is an error
 * @throws ToolDefinitionError when two of `tools` have one name, or share an alias
 */
export function createRegistry(tools: readonly Tool[], external: readonly Tool[] = []): ToolRegistry {
  const byName = new Map<string, Tool>();
  const byAlias = new Map<string, Tool>();
  for (const tool of tools) {
    if (byName.has(tool.name)) throw new ToolDefinitionError(`Two tools are named ${tool.name}: rename one of them.`);
    byName.set(tool.name, tool);
    for (const alias of tool.aliases) {
      const other = byAlias.get(alias);
      if (other && other !== tool) {
        throw new ToolDefinitionError(`Tools ${other.name} and ${tool.name} share the alias ${alias}: remove it from one of them.`);
      }
      byAlias.set(alias, tool);
    }
  }
  for (const tool of external) {
    if (!byName.has(tool.name)) byName.set(tool.name, tool);
    for (const alias of tool.aliases) if (!byAlias.has(alias)) byAlias.set(alias, tool);
  }
  const sorted = Object.freeze([...byName.values()].toSorted((left, right) => byCodePoint(left.name, right.name)));
  return {
    find: (name) => byName.get(name) ?? byAlias.get(name),
    list: () => sorted,
  };
}
