// One folder of tools: what it requires, and what its index exports.
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { byCodePoint, messageOf, ToolDefinitionError } from '../../contract/index.ts';

const INDEX_FILES = ['index.ts', 'index.mts', 'index.js', 'index.mjs'];
const REQUIRES_FILE = 'requires.json';
const Requires = z.array(z.string().min(1)).max(100);

export interface ToolFolder {
  readonly directory: string;
  readonly name: string;
}

/** Folders of a directory, or links to some, by code point. Hidden ones and those of packages are none. */
export async function toolFolders(directory: string): Promise<ToolFolder[]> {
  const names = (await readdir(directory)).filter((name) => !name.startsWith('.') && name !== 'node_modules');
  const found = await Promise.all(names.map(async (name) => ((await isDirectory(join(directory, name))) ? [{ directory, name }] : [])));
  return found.flat().toSorted((left, right) => byCodePoint(left.name, right.name));
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    // A link to nowhere.
    return false;
  }
}

/**
 * Names of what the service must have for a folder's tool, from its `requires.json`.
 * @throws ToolDefinitionError when that file is no list of names
 */
export async function requiresOf({ directory, name }: ToolFolder): Promise<readonly string[]> {
  let text: string;
  try {
    text = await readFile(join(directory, name, REQUIRES_FILE), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new ToolDefinitionError(`Tool folder ${name}: ${REQUIRES_FILE} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
  try {
    return Requires.parse(JSON.parse(text));
  } catch (error) {
    throw new ToolDefinitionError(`Tool folder ${name}: ${REQUIRES_FILE} must hold a JSON list of names, such as ["model"].`, {
      cause: error,
    });
  }
}

/**
 * Imports a folder's index.
 * @returns its default export
 * @throws ToolDefinitionError when there is no index, or it throws
 */
export async function importTool({ directory, name }: ToolFolder): Promise<unknown> {
  const files = await readdir(join(directory, name));
  const index = INDEX_FILES.find((file) => files.includes(file));
  if (index === undefined) throw new ToolDefinitionError(`Tool folder ${name} has no index.ts: add one whose default export is a tool.`);
  try {
    const module = (await import(pathToFileURL(join(directory, name, index)).href)) as { default?: unknown };
    return module.default;
  } catch (error) {
    throw new ToolDefinitionError(`Tool folder ${name} cannot be loaded: ${reasonOf(error)}`, { cause: error });
  }
}

/** The first line of an error's message. */
export function reasonOf(error: unknown): string {
  const text = messageOf(error);
  return text.split('\n', 1)[0] ?? '';
}
