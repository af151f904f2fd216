import type { FileHandle } from 'node:fs/promises';
import type { OpenTreeFile, TreeRange } from '../../contract/index.ts';
import { FileError } from '../../contract/index.ts';
import { openParent, openRegular } from '../confine.ts';
import { etagOf } from './etag.ts';
import { findSecrets } from './secrets.ts';
import type { TreeContext } from './target.ts';

const CHUNK_BYTES = 128 * 1024;

/** @param path absolute. @throws FileError */
export async function openTreeFile(context: TreeContext, path: string): Promise<OpenTreeFile> {
  const secrets = await findSecrets(context.secretFiles);
  using entry = await openParent({ path, roots: context.roots, access: 'read' });
  const file = await openRegular(entry, path);
  if (file === null) throw new FileError('not_found', `${path} does not exist.`);
  const { handle, stats } = file;
  try {
    secrets.assertNone(entry.path, stats);
    const { size, mtimeMs } = stats;
    return {
      size,
      modifiedAt: mtimeMs,
      etag: await etagOf(file),
      read: ({ start, end } = { start: 0, end: size - 1 }) => readPart(handle, { start, end }),
      [Symbol.asyncDispose]: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** What was promised is sent, or the reader learns that it is not: a shorter body would pass for the whole. */
export async function* readPart(handle: FileHandle, { start, end }: TreeRange): AsyncGenerator<Buffer, void, void> {
  for (let at = start; at <= end;) {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end + 1 - at));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) throw new FileError('changed', 'The file has become shorter while it was read. Read it again.');
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
