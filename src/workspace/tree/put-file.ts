// A file is received beside its place and put there in one step: before that nothing is to be seen of it, and when its
// client leaves nothing stays. What stands there is judged twice: before anything is read, and under the lock that all
// writes of this process take, right before the step.
import type { FileHandle } from 'node:fs/promises';
import { link, open, rename, rmdir, unlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Precondition, TreeUpload } from '../../contract/index.ts';
import { FileError } from '../../contract/index.ts';
import { MODE_BITS } from '../atomic-write.ts';
import type { ConfinedEntry } from '../confine.ts';
import { openParent, openRegular } from '../confine.ts';
import { assertInPlace, entryPath, openDirectory } from '../confined-directory.ts';
import { hasCode } from '../file-failure.ts';
import { withLock } from '../keyed-lock.ts';
import { OPEN_NEW, temporaryName } from '../temporary-name.ts';
import { etagOf } from './etag.ts';
import type { Reservation } from './quota.ts';
import { findSecrets } from './secrets.ts';
import type { TreeContext } from './target.ts';
import { statName, throughFile } from './target.ts';

/** Times that a name may appear and vanish under our hands before the client has to try again. */
const MAX_ROUNDS = 5;

/** What stands at the place of a file. */
interface Present {
  readonly path: string;
  readonly size: number;
  readonly mode: number;
}

export interface PutFile {
  /** Absolute. */
  readonly path: string;
  readonly upload: TreeUpload;
}

/** @throws FileError, Problem `quota-exceeded`, what the precondition throws */
export async function putFile(context: TreeContext, { path, upload }: PutFile): Promise<{ created: boolean; size: number; etag: string }> {
  const { body, length, precondition } = upload;
  const present = await lookBefore(context, path, precondition);
  using room = await context.quota.reserve({ length, ...(present !== null && { replaces: present }) });
  const made: string[] = [];
  try {
    using entry = await openParent({ path, roots: context.roots, access: 'write', makeParents: true, onMade: (at) => made.push(at) });
    const put = await receive(context, { entry, path, body, room, precondition });
    room.keep(put.size - put.replacedSize);
    return { created: put.created, size: put.size, etag: put.etag };
  } catch (error) {
    await unmake(context, made);
    throw throughFile(error, path);
  }
}

/** @returns the file that is there, `null` for none. @throws FileError for what is no file, and what the precondition throws */
async function lookBefore(context: TreeContext, path: string, precondition: Precondition | undefined): Promise<Present | null> {
  const secrets = await findSecrets(context.secretFiles);
  try {
    using entry = await openParent({ path, roots: context.roots, access: 'write' });
    await using file = await openRegular(entry, path);
    secrets.assertNone(entry.path, file?.stats ?? null);
    precondition?.(file === null ? null : await etagOf(file));
    return file === null ? null : { path: entry.path, size: file.stats.size, mode: file.stats.mode };
  } catch (error) {
    if (!(error instanceof FileError && error.code === 'not_found')) throw throughFile(error, path);
    precondition?.(null);
    return null;
  }
}

interface Receiving {
  readonly entry: ConfinedEntry;
  readonly path: string;
  readonly body: AsyncIterable<Uint8Array>;
  readonly room: Reservation;
  readonly precondition: Precondition | undefined;
}

async function receive(context: TreeContext, { entry, path, body, room, precondition }: Receiving) {
  const name = temporaryName();
  const temporary = entryPath(entry.directory, name);
  context.unfinished.add(name);
  try {
    const size = await fill(temporary, body, room);
    // Held from before the step on, so that the validator is that of these bytes and of nobody else's.
    await using file = await openRegular({ ...entry, name }, path);
    if (file === null || file.stats.size !== size)
      throw new FileError('changed', `${path} was disturbed while it was received. Send it again.`);
    const { created, replacedSize } = await withLock(entry.path, () =>
      putInPlace(entry, { temporary, handle: file.handle, path, precondition }),
    );
    return { created, replacedSize, size, etag: await etagOf(file) };
  } finally {
    // After the step it is gone already; when even the removal fails, so is the directory.
    await unlink(temporary).catch(() => undefined);
    context.unfinished.delete(name);
  }
}

/** Writes, syncs and closes before anything has the name. @returns bytes */
async function fill(temporary: string, body: AsyncIterable<Uint8Array>, room: Reservation): Promise<number> {
  await using handle = await open(temporary, OPEN_NEW, 0o666);
  let size = 0;
  for await (const chunk of body) {
    room.take(chunk.length);
    await handle.writeFile(chunk);
    size += chunk.length;
  }
  await handle.sync();
  return size;
}

interface Step {
  readonly temporary: string;
  readonly handle: FileHandle;
  readonly path: string;
  readonly precondition: Precondition | undefined;
}

/** A name that was free is taken by a link, which never replaces: what appears there meanwhile is judged first. */
async function putInPlace(entry: ConfinedEntry, { temporary, handle, path, precondition }: Step) {
  await assertInPlace(entry.directory, path);
  const target = entryPath(entry.directory, entry.name);
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    await using present = await openRegular(entry, path);
    precondition?.(present === null ? null : await etagOf(present));
    if (present !== null) {
      await handle.chmod(present.stats.mode & MODE_BITS);
      await rename(temporary, target);
      return { created: false, replacedSize: present.stats.size };
    }
    try {
      await link(temporary, target);
      await unlink(temporary);
      return { created: true, replacedSize: 0 };
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
  }
  throw new FileError('changed', `${path} keeps being made and removed. Try again.`);
}

/** Removes the parents that were made for a file that did not come, as far as nobody has put anything there. */
async function unmake({ roots }: TreeContext, made: readonly string[]): Promise<void> {
  try {
    for (const path of made.toReversed()) {
      using parent = await openDirectory(dirname(path), roots.write, path);
      if ((await statName(parent, basename(path)))?.isDirectory()) await rmdir(entryPath(parent, basename(path)));
    }
  } catch {
    // Somebody uses them, or has moved them: they stay.
  }
}
