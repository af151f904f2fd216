import { byCodePoint, ToolDefinitionError, type Tool, type ToolCatalog } from '../contract/index.ts';
import { inputJsonSchema } from './schemas/input-schema.ts';
import { inputValidator } from './input/input-validator.ts';

/**
 * The tools as the engine sees them: found by primary name, then by alias; any other text is an unknown tool.
 * @param external tools of strangers: one of them neither takes a name or an alias from another tool nor is an error
 * @throws ToolDefinitionError when two of `tools` have one name, or share an alias
 */
export function createCatalog(tools: readonly Tool[], external: readonly Tool[] = []): ToolCatalog {
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
  return {
    find: (name) => byName.get(name) ?? byAlias.get(name),
    names: () => [...byName.keys()].toSorted(byCodePoint),
    schema: inputJsonSchema,
    validate: (tool, input) => inputValidator(tool)(input),
  };
}
