import type { Tool } from '../../src/contract/index.ts';
import { buildTool } from '../../src/contract/index.ts';

/** A tool of which only what the test names matters. */
export function sampleTool(name: string, rest: Partial<Tool> = {}): Tool {
  return buildTool<Tool['inputSchema']>({
    name,
    inputSchema: { type: 'object' },
    description: ({ workspace }) => `${name} in ${workspace}`,
    call: () => ({ content: name }),
    ...rest,
  });
}

export function names(tools: readonly Tool[]): string[] {
  return tools.map((tool) => tool.name);
}
