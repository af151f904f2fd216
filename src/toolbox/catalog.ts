import type { Tool, ToolCatalog } from '../contract/index.ts';
import { inputJsonSchema } from './input-schema.ts';
import { inputValidator } from './input-validator.ts';
import { createRegistry } from './registry.ts';

/**
 * The tools as the engine sees them.
 * @param external tools of strangers, which take no name from another
 * @throws ToolDefinitionError when two of `tools` have one name
 */
export function createCatalog(tools: readonly Tool[], external: readonly Tool[] = []): ToolCatalog {
  const registry = createRegistry(tools, external);
  return {
    find: (name) => registry.find(name),
    names: () => registry.list().map(({ name }) => name),
    schema: inputJsonSchema,
    validate: (tool, input) => inputValidator(tool)(input),
  };
}
