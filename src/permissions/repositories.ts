// Repositories below the directories of a session. Who has one's settings has the next git command that somebody runs in it.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Directories that are looked into, those nearest first. */
const MAX_DIRECTORIES = 1_000;
/** Each costs some mounts for every command. */
const MAX_FOUND = 10;
/** What is in them others have made. */
const PASSED_OVER = new Set(['node_modules', '.git', '.venv', 'venv', 'target', 'vendor']);

/**
 * Every `.git`, a directory or a file, at or below these directories, and the repositories of submodules and worktrees in them.
 * Links are not followed. What lies deep, or behind many others, is not found.
 */
export async function findRepositories(roots: readonly string[]): Promise<readonly string[]> {
  const found = new Set<string>();
  const waiting = [...new Set(roots)];
  for (let looked = 0; looked < Math.min(waiting.length, MAX_DIRECTORIES) && found.size < MAX_FOUND; looked += 1) {
    const directory = waiting[looked] ?? '';
    for (const entry of await entriesOf(directory)) {
      const path = join(directory, entry.name);
      if (entry.name === '.git' && !entry.isSymbolicLink()) {
        found.add(path);
        if (entry.isDirectory()) for (const inner of await innerRepositories(path)) found.add(inner);
      } else if (entry.isDirectory() && !PASSED_OVER.has(entry.name) && waiting.length < MAX_DIRECTORIES) waiting.push(path);
    }
  }
  return [...found].slice(0, MAX_FOUND);
}

/** Names of submodules may be paths. */
async function innerRepositories(directory: string): Promise<readonly string[]> {
  const found: string[] = [];
  const waiting = [join(directory, 'modules'), join(directory, 'worktrees')];
  for (let looked = 0; looked < Math.min(waiting.length, MAX_FOUND * 5); looked += 1) {
    const inner = waiting[looked] ?? '';
    const entries = await entriesOf(inner);
    if (entries.some(({ name }) => name === 'HEAD')) found.push(inner, ...(await innerRepositories(inner)));
    else waiting.push(...entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(inner, name)));
  }
  return found;
}

export async function entriesOf(directory: string) {
  try {
    return await readdir(directory, { withFileTypes: true });
  } catch {
    // Not there, or closed to the service: closed to its commands as well.
    return [];
  }
}
