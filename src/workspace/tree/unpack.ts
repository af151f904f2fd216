// An archive is received into a directory beside all else, under numbers instead of names, and put into place only when
// all of it has come and each entry was found harmless. So one that breaks off or holds something hostile leaves nothing.
import { once } from 'node:events';
import { mkdir, open, rmdir } from 'node:fs/promises';
import type { Extract as TarReader } from 'tar-stream';
import type { TreeUpload } from '../../contract/index.ts';
import { FileError, Problem } from '../../contract/index.ts';
import type { ConfinedDirectory } from '../confined-directory.ts';
import { entryPath, openDirectory } from '../confined-directory.ts';
import { temporaryName } from '../temporary-name.ts';
import { judgeEntry, type ArchiveFile } from './archive-entry.ts';
import { emptyDirectory } from './empty-directory.ts';
import { putEntries, type StagedEntry } from './put-entries.ts';
import type { Reservation } from './quota.ts';
import type { TreeContext } from './target.ts';
import { OPEN_NEW } from '../temporary-name.ts';

const MAX_ENTRIES = 100_000;
/** Characters of all paths and targets together, which are held until the archive is there. */
const MAX_PATH_CHARS = 8 * 1024 * 1024;
/** Bytes that an archive may have beside those of its files. */
const MAX_OVERHEAD = 256 * 1024 * 1024;

/** @throws FileError, Problem `invalid-request`, `quota-exceeded` */
export async function unpackTree(context: TreeContext, { body }: Pick<TreeUpload, 'body'>): Promise<{ files: number; bytes: number }> {
  using room = await context.quota.reserve({});
  using workspace = await openDirectory(context.workspace, context.roots.write, context.workspace);
  const name = temporaryName();
  context.unfinished.add(name);
  try {
    await mkdir(entryPath(workspace, name), { mode: 0o700 });
    using staging = await openDirectory(entryPath(workspace, name), context.roots.write, name);
    try {
      const entries = await receive(body, staging, room);
      const { files, bytes, replacedBytes } = await putEntries(context, { entries, staging });
      room.keep(bytes - replacedBytes);
      return { files, bytes };
    } finally {
      await emptyDirectory(staging, context.roots.write);
      await rmdir(entryPath(workspace, name));
    }
  } finally {
    context.unfinished.delete(name);
  }
}

/** What is known of a body that is being read. */
interface Feeding {
  /** Bytes of the files that its entries are for. */
  content: number;
  /** What went wrong with the body itself. */
  failure: unknown;
}

async function receive(body: AsyncIterable<Uint8Array>, staging: ConfinedDirectory, room: Reservation) {
  const { extract } = await import('tar-stream');
  const reader = extract();
  const feeding: Feeding = { content: 0, failure: null };
  // When an entry is refused it is not waited for: a client that is slow to send the rest is told at once.
  void feed(body, reader, feeding);
  try {
    return await readEntries(reader, { staging, room, feeding });
  } catch (error) {
    throw feeding.failure ?? unlessOurs(error);
  } finally {
    reader.destroy(null);
  }
}

/** Never fails: what goes wrong is for whoever reads the entries. */
async function feed(body: AsyncIterable<Uint8Array>, reader: TarReader, feeding: Feeding): Promise<void> {
  const left = new AbortController();
  reader.once('close', () => left.abort());
  try {
    let size = 0;
    for await (const chunk of body) {
      if (left.signal.aborted) return;
      size += chunk.length;
      if (size - feeding.content > MAX_OVERHEAD) throw new Problem('invalid-request', 'The archive has too little in it for its size.');
      if (!reader.write(chunk)) await once(reader, 'drain', { signal: left.signal });
    }
    if (size === 0) throw new Problem('invalid-request', 'The body is empty: send a tar archive.');
    reader.end(null);
  } catch (error) {
    if (left.signal.aborted) return;
    feeding.failure = error;
    reader.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

interface Receiving {
  readonly staging: ConfinedDirectory;
  readonly room: Reservation;
  readonly feeding: Feeding;
}

/** The last of several entries with one path counts, as with tar. */
async function readEntries(reader: TarReader, { staging, room, feeding }: Receiving): Promise<StagedEntry[]> {
  const entries = new Map<string, StagedEntry>();
  let count = 0;
  let characters = 0;
  for await (const source of reader) {
    const { header } = source;
    const entry = judgeEntry(header);
    count += 1;
    characters += header.name.length + (header.linkname ?? '').length;
    if (count > MAX_ENTRIES || characters > MAX_PATH_CHARS) {
      throw new Problem(
        'invalid-request',
        `An archive may have ${MAX_ENTRIES} entries, with ${MAX_PATH_CHARS} characters of paths: send several.`,
      );
    }
    const staged = String(count);
    if (entry?.type === 'file') {
      room.take(entry.size);
      feeding.content += entry.size;
      // Entries are bytes, whatever their type says.
      await stage(source as AsyncIterable<Uint8Array>, entry, entryPath(staging, staged));
    } else {
      source.resume();
    }
    if (entry === null) continue;
    entries.delete(entry.path);
    entries.set(entry.path, { ...entry, staged });
  }
  return [...entries.values()];
}

async function stage(source: AsyncIterable<Uint8Array>, { mode, modifiedAt }: ArchiveFile, path: string): Promise<void> {
  await using handle = await open(path, OPEN_NEW, 0o600);
  for await (const chunk of source) await handle.writeFile(chunk);
  await handle.chmod(mode);
  if (modifiedAt !== null) await handle.utimes(modifiedAt, modifiedAt);
}

/** What neither this service nor the system says is what the reader of archives cannot make sense of. */
function unlessOurs(error: unknown): unknown {
  if (error instanceof Problem || error instanceof FileError || (error instanceof Error && 'errno' in error)) return error;
  const detail =
    'The body is no tar archive, or one that is compressed, damaged or cut off. Send a whole one, uncompressed. Nothing was unpacked.';
  return new Problem('invalid-request', detail, { cause: error });
}
