// A folder under the tools directory is a tool: its index exports one, and nothing else has to know of it. Which folders are
// imported is decided by their names and by what they require, before anything of them runs.
import { fileURLToPath } from 'node:url';
import type { Tool } from '../../contract/index.ts';
import { ToolDefinitionError } from '../../contract/index.ts';
import { folderName } from './folder-name.ts';
import { isNamed } from '../is-named.ts';
import { importTool, requiresOf, toolFolders, type ToolFolder } from './tool-folder.ts';

export interface ToolChoice {
  /** Names or aliases; `null` or absent means all. An alias is only known once its tool is loaded. */
  readonly include?: readonly string[] | null;
  readonly exclude?: readonly string[];
  /** Names of what the service has beside its core, such as `model`: a tool that requires another one is not there. */
  readonly features?: ReadonlySet<string>;
}

/**
 * Imports the tools that are wanted; the module of another one is never loaded.
 * @returns the tools in code point order of their folders' names
 * @throws ToolDefinitionError naming the folder whose tool is missing, broken, misnamed or not built with `buildTool`
 */
export async function loadTools(directory: string | URL, choice: ToolChoice = {}): Promise<Tool[]> {
  const { features = new Set() } = choice;
  const folders = await toolFolders(typeof directory === 'string' ? directory : fileURLToPath(directory));
  const mayHold = wantedFolders(folders, choice);
  const loaded = await Promise.all(
    folders.filter(mayHold).map(async (folder) => {
      const missing = (await requiresOf(folder)).filter((feature) => !features.has(feature));
      return missing.length > 0 ? [] : [builtTool(folder, await importTool(folder))];
    }),
  );
  return loaded.flat().filter((tool) => isChosen(tool, choice));
}

/** Whether the folder may hold a wanted tool, as far as its name tells. */
export function wantedFolders(folders: readonly ToolFolder[], { include, exclude = [] }: ToolChoice): (folder: ToolFolder) => boolean {
  const known = new Set(folders.map(({ name }) => name));
  const [included, excluded] = [include ?? [], exclude].map((names) => new Set(names.map(folderName)));
  // A name without a folder may be an alias of any tool.
  const all = include === null || include === undefined || [...(included ?? [])].some((name) => !known.has(name));
  return ({ name }) => (all || included?.has(name) === true) && excluded?.has(name) !== true;
}

/** Whether the loaded tool is wanted, by its name or an alias. */
export function isChosen(tool: Tool, { include, exclude = [] }: ToolChoice): boolean {
  return (!include || isNamed(tool, include)) && !isNamed(tool, exclude);
}

function builtTool({ name }: ToolFolder, exported: unknown): Tool {
  if (!isBuilt(exported)) {
    throw new ToolDefinitionError(`Tool folder ${name} must export a tool made with buildTool as its default export.`);
  }
  assertNamed(name, exported);
  return exported;
}

/** @throws ToolDefinitionError when a tool lives in a folder of another name: what is switched off by its name must be found by it */
export function assertNamed(folder: string, tool: Tool): void {
  const expected = folderName(tool.name);
  if (folder === expected) return;
  throw new ToolDefinitionError(`Tool folder ${folder} holds a tool named ${tool.name}: rename the folder to ${expected}.`);
}

/** `buildTool` freezes what it gives and fills in every default, so both show that it was used. */
function isBuilt(value: unknown): value is Tool {
  if (typeof value !== 'object' || value === null || !Object.isFrozen(value)) return false;
  const { name, call, renderGroup } = value as Partial<Tool>;
  return typeof name === 'string' && typeof call === 'function' && typeof renderGroup === 'function';
}
