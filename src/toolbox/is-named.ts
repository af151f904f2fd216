import type { Tool } from '../contract/index.ts';

/** Whether a list names the tool, by its name or by a former one. */
export function isNamed(tool: Tool, names: readonly string[]): boolean {
  return names.includes(tool.name) || tool.aliases.some((alias) => names.includes(alias));
}
