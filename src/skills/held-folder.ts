// Folders and files of skills, each opened below the open folder that it lies in: what a name leads to meanwhile does not
// matter. Where links are not followed, nothing outside of the first folder is ever opened.
import { constants, type Dirent } from 'node:fs';
import { open, opendir } from 'node:fs/promises';
import { byCodePoint } from '../contract/index.ts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;
/** Entries of a folder that are looked at. */
const MAX_ENTRIES = 2_000;

export interface Below {
  /** Absolute real path of the first folder. */
  readonly base: string;
  /** Names that lead from there, each below the one before. */
  readonly names: readonly string[];
  /** Whether links are followed. */
  readonly links: boolean;
}

/** Hands the folder's entrance, a path for as long as it is held, to `use`. @throws the system's error when there is none */
async function withFolder<Result>({ base, names, links }: Below, use: (entrance: string) => Promise<Result>): Promise<Result> {
  await using handle = await open(base, O_RDONLY | O_DIRECTORY | (links ? 0 : O_NOFOLLOW));
  // Only Linux has such paths; elsewhere the plain one is checked, but not proof against a race.
  const entrance = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : base;
  const [name, ...rest] = names;
  return name === undefined ? await use(entrance) : await withFolder({ base: `${entrance}/${name}`, names: rest, links }, use);
}

/** What lies in the folder, hidden entries left out, in code point order. Empty when there is no such folder. */
export async function entriesOf(folder: Below): Promise<readonly Dirent[]> {
  try {
    return await withFolder(folder, async (entrance) => {
      const entries: Dirent[] = [];
      for await (const entry of await opendir(entrance)) {
        if (!entry.name.startsWith('.')) entries.push(entry);
        if (entries.length === MAX_ENTRIES) break;
      }
      return entries.toSorted((one, other) => byCodePoint(one.name, other.name));
    });
  } catch {
    // Not there, closed to the service, or a link: there is nothing in it for a session.
    return [];
  }
}

/**
 * The text of a regular file of the folder; `null` when there is none.
 * @throws Error that says what to change: the file has more than `maxBytes`, or is no UTF-8
 */
export async function textOfFile(folder: Below, name: string, maxBytes: number): Promise<string | null> {
  const bytes = await withFolder(folder, async (entrance) => {
    await using file = await open(`${entrance}/${name}`, O_RDONLY | O_NONBLOCK | O_NOCTTY | (folder.links ? 0 : O_NOFOLLOW));
    if (!(await file.stat()).isFile()) return null;
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxBytes + 1), 0, maxBytes + 1, 0);
    return buffer.subarray(0, bytesRead);
  }).catch(() => null);
  if (bytes === null) return null;
  if (bytes.length > maxBytes) throw new Error(`${name} has more than ${maxBytes / 1024} KiB: move parts of it into files beside it`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`${name} is no text in UTF-8`);
  }
}
