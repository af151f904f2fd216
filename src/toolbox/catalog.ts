import type { Tool, ToolCatalog } from '../contract/index.ts';
import { inputJsonSchema } from './input-schema.ts';
import { inputValidator } from './input-validator.ts';
import { createRegistry } from './registry.ts';

/** The tools as the engine sees them. @throws ToolDefinitionError when two tools have one name */
export function createCatalog(tools: readonly Tool[]): ToolCatalog {
  const registry = createRegistry(tools);
  return {
    find: (name) => registry.find(name),
    names: () => registry.list().map(({ name }) => name),
    schema: inputJsonSchema,
    validate: (tool, input) => inputValidator(tool)(input),
  };
}
