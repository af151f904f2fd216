// A folder under the tools directory is a tool: its index exports one, and nothing else has to know of it.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Tool } from '../contract/index.ts';
import { ToolDefinitionError } from '../contract/index.ts';
import { byCodePoint } from './code-point.ts';

const INDEX_FILES = ['index.ts', 'index.js'];

/**
 * Imports the tool of every folder that `wanted` accepts; the module of another is never loaded.
 * @returns the tools in code point order of their folders' names
 * @throws ToolDefinitionError naming the folder whose tool is missing, broken or not built with `buildTool`
 */
export async function loadTools(directory: string | URL, wanted: (folder: string) => boolean = () => true): Promise<Tool[]> {
  const root = typeof directory === 'string' ? directory : fileURLToPath(directory);
  const entries = await readdir(root, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && wanted(entry.name)).map((entry) => entry.name);
  return Promise.all(folders.toSorted(byCodePoint).map((folder) => loadTool(root, folder)));
}

async function loadTool(root: string, folder: string): Promise<Tool> {
  const files = await readdir(join(root, folder));
  const index = INDEX_FILES.find((file) => files.includes(file));
  if (!index) throw new ToolDefinitionError(`Tool folder ${folder} has no index.ts: add one whose default export is a tool.`);
  let module: { default?: unknown };
  try {
    module = (await import(pathToFileURL(join(root, folder, index)).href)) as { default?: unknown };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ToolDefinitionError(`Tool folder ${folder} cannot be loaded: ${firstLine(reason)}`, { cause: error });
  }
  if (isBuilt(module.default)) return module.default;
  throw new ToolDefinitionError(`Tool folder ${folder} must export a tool made with buildTool as its default export.`);
}

/** `buildTool` freezes what it gives and fills in every default, so both show that it was used. */
function isBuilt(value: unknown): value is Tool {
  if (typeof value !== 'object' || value === null || !Object.isFrozen(value)) return false;
  const { name, call, renderGroup } = value as Partial<Tool>;
  return typeof name === 'string' && typeof call === 'function' && typeof renderGroup === 'function';
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
