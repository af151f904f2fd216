// Puts what was received of an archive into place: directories and files as they came, links last, so that nothing of the
// archive goes through a link of its own. A link that stands where a file goes is replaced, not followed, as tar does.
import { fchmodSync } from 'node:fs';
import { rename, symlink } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { FileError } from '../../contract/index.ts';
import type { ConfinedDirectory } from '../confined-directory.ts';
import { assertInPlace, entryPath } from '../confined-directory.ts';
import { withLock } from '../keyed-lock.ts';
import { type ArchiveDirectory, type ArchiveEntry, type ArchiveFile, type ArchiveLink } from './archive-entry.ts';
import { findSecrets, type Secrets } from './secrets.ts';
import { openFolder, statName, throughFile, withPath, type TreeContext } from './target.ts';

/** An entry that has come; the bytes of a file are in the directory beside, under `staged`. */
export type StagedEntry = ArchiveEntry & { readonly staged: string };

export interface StagedEntries {
  readonly entries: readonly StagedEntry[];
  readonly staging: ConfinedDirectory;
}

interface Counts {
  /** Files and links. */
  files: number;
  /** Bytes of the files. */
  bytes: number;
  /** Bytes of the files that were there before. */
  replacedBytes: number;
}

/** @throws FileError; what was put into place before stays */
export async function putEntries(context: TreeContext, { entries, staging }: StagedEntries): Promise<Counts> {
  const secrets = await findSecrets(context.secretFiles);
  const counts: Counts = { files: 0, bytes: 0, replacedBytes: 0 };
  const folders = new LastFolder(context);
  try {
    for (const entry of [...entries.filter(({ type }) => type !== 'link'), ...entries.filter(({ type }) => type === 'link')]) {
      await withPath(context, entry.path, async (path) => {
        try {
          if (entry.type === 'directory') return await makeFolder(context, path, entry);
          const directory = await folders.open(dirname(path));
          await putEntry({ entry, path, directory, staging, secrets, context, counts });
        } catch (error) {
          throw throughFile(error, path);
        }
      });
    }
    return counts;
  } finally {
    folders.close();
  }
}

/** Holds the directory that was used last: entries of one directory mostly follow each other. */
class LastFolder {
  readonly #context: TreeContext;
  #last: { readonly path: string; readonly directory: ConfinedDirectory } | null = null;

  constructor(context: TreeContext) {
    this.#context = context;
  }

  async open(path: string): Promise<ConfinedDirectory> {
    if (this.#last?.path === path) {
      await assertInPlace(this.#last.directory, path);
      return this.#last.directory;
    }
    this.close();
    const directory = await openFolder({ path, roots: this.#context.roots, onMade: () => undefined });
    this.#last = { path, directory };
    return directory;
  }

  close(): void {
    this.#last?.directory[Symbol.dispose]();
    this.#last = null;
  }
}

/** One that is there already stays as it is. */
async function makeFolder({ roots }: TreeContext, path: string, { mode }: ArchiveDirectory): Promise<void> {
  const made: string[] = [];
  using directory = await openFolder({ path, roots, onMade: (at) => made.push(at) });
  if (made.includes(directory.path)) fchmodSync(directory.descriptor, mode);
}

interface EntryStep {
  readonly entry: (ArchiveFile | ArchiveLink) & { readonly staged: string };
  readonly path: string;
  readonly directory: ConfinedDirectory;
  readonly staging: ConfinedDirectory;
  readonly secrets: Secrets;
  readonly context: TreeContext;
  readonly counts: Counts;
}

async function putEntry({ entry, path, directory, staging, secrets, context, counts }: EntryStep): Promise<void> {
  const name = basename(path);
  const real = join(directory.path, name);
  const staged = entryPath(staging, entry.staged);
  await withLock(real, async () => {
    const present = await statName(directory, name);
    if (present?.isDirectory()) throw new FileError('not_a_file', `${path} is a directory, where the archive has none. Remove it first.`);
    secrets.assertNone(real, present);
    if (entry.type === 'link') {
      assertStaysInside(entry, relative(context.workspace, directory.path));
      await symlink(entry.target, staged);
    }
    await rename(staged, entryPath(directory, name));
    counts.files += 1;
    if (entry.type === 'file') counts.bytes += entry.size;
    if (present?.isFile()) counts.replacedBytes += present.size;
  });
}

/** Where a directory of its path is a link, the entry lies elsewhere than its path says. */
function assertStaysInside({ path, target, climbs }: ArchiveLink, directory: string): void {
  const depth = directory === '' ? 0 : directory.split('/').length;
  if (climbs <= depth) return;
  throw new FileError(
    'outside',
    `${path} would be a link to ${target.slice(0, 200)}, which leads out of the workspace: it was not made. What was unpacked before it stays.`,
  );
}
