// The workspace as a tar archive, written as it is read: one file is open at a time, and nothing is read ahead of whoever
// takes the archive. Links are stored as links; pipes, sockets and devices are left out.
import { once } from 'node:events';
import { readlink } from 'node:fs/promises';
import type { Header, Pack } from 'tar-stream';
import { FileError } from '../../contract/index.ts';
import { openRegular } from '../confine.ts';
import { entryPath } from '../confined-directory.ts';
import { hasCode } from '../file-failure.ts';
import { readPart } from './open-file.ts';
import { findSecrets, type Secrets } from './secrets.ts';
import type { TreeContext } from './target.ts';
import { walk, type Walked } from './walk.ts';

/** Whoever else unpacks the archive gets no set-user-id program from here. */
const PACKED_MODE = 0o777;

/** @throws FileError `changed` when a file becomes shorter while it is read */
export async function* packTree(context: TreeContext): AsyncGenerator<Uint8Array, void, void> {
  const { pack } = await import('tar-stream');
  const archive = pack();
  const left = new AbortController();
  archive.once('close', () => left.abort());
  const filled = fill(context, archive, left.signal).then(
    () => archive.finalize(),
    (error: unknown) => archive.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  try {
    // An archive is bytes, whatever its type says.
    yield* archive as AsyncIterable<Uint8Array>;
  } finally {
    archive.destroy(null);
    await filled;
  }
}

async function fill(context: TreeContext, archive: Pack, left: AbortSignal): Promise<void> {
  const secrets = await findSecrets(context.secretFiles);
  for await (const walked of walk(context)) {
    if (left.aborted) return;
    await add({ walked, archive, left, secrets });
  }
}

interface Adding {
  readonly walked: Walked;
  readonly archive: Pack;
  readonly left: AbortSignal;
  readonly secrets: Secrets;
}

async function add({ walked, archive, left, secrets }: Adding): Promise<void> {
  const { path, name, stats, directory } = walked;
  const header = { mode: stats.mode & PACKED_MODE, mtime: stats.mtime };
  if (stats.isDirectory()) return write(archive, { header: { ...header, name: `${path}/`, type: 'directory' }, left });
  if (stats.isSymbolicLink()) {
    const linkname = await readlink(entryPath(directory, name)).catch(() => null);
    if (linkname === null) return;
    return write(archive, { header: { ...header, name: path, type: 'symlink', linkname }, left });
  }
  if (!stats.isFile()) return;
  await using file = await openWalked(walked);
  if (file === null || secrets.isSecret(`${directory.path}/${name}`, file.stats)) return;
  const { size } = file.stats;
  await write(archive, {
    header: { ...header, name: path, type: 'file', size },
    body: readPart(file.handle, { start: 0, end: size - 1 }),
    left,
  });
}

/** `null` for a file that was removed or replaced, or may not be read. */
async function openWalked({ directory, name, path }: Walked) {
  try {
    return await openRegular({ directory, name, path, [Symbol.dispose]: () => undefined }, path);
  } catch (error) {
    if (error instanceof FileError || hasCode(error, 'EACCES', 'EPERM')) return null;
    throw error;
  }
}

interface Writing {
  readonly header: Partial<Header> & Pick<Header, 'name'>;
  readonly body?: AsyncIterable<Uint8Array>;
  readonly left: AbortSignal;
}

async function write(archive: Pack, { header, body, left }: Writing): Promise<void> {
  const { promise: written, resolve, reject } = Promise.withResolvers<void>();
  const entry = archive.entry(header, (error) => (error ? reject(error) : resolve()));
  // The callback tells it, too.
  entry.on('error', () => undefined);
  await Promise.all([written, body === undefined ? undefined : pour(body, entry, left)]);
}

async function pour(body: AsyncIterable<Uint8Array>, entry: ReturnType<Pack['entry']>, left: AbortSignal): Promise<void> {
  for await (const chunk of body) {
    if (!entry.write(chunk)) await once(entry, 'drain', { signal: left });
  }
  entry.end(null);
}
