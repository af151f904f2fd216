import type { Tool } from '../contract/index.ts';
import { ToolDefinitionError } from '../contract/index.ts';
import { byCodePoint } from './code-point.ts';

export interface ToolRegistry {
  /** By primary name, then by alias; any other text is an unknown tool. */
  find(name: string): Tool | undefined;
  /** Sorted by name, by code point. */
  list(): readonly Tool[];
}

/** @throws ToolDefinitionError when two tools have one name, or share an alias. */
export function createRegistry(tools: readonly Tool[]): ToolRegistry {
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
  const sorted = Object.freeze(tools.toSorted((left, right) => byCodePoint(left.name, right.name)));
  return {
    find: (name) => byName.get(name) ?? byAlias.get(name),
    list: () => sorted,
  };
}
