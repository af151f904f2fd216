// The history of a session on disk: a manifest of entries beside a directory of blobs. What is known of it in memory is
// thrown away when the manifest has changed under it, so that several of these may stand for one directory.
import { randomUUID } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { withLock } from '../keyed-lock.ts';
import { readBlob, removeBlobs, storeBlob } from './blobs.ts';
import { addLine, checkpointsOf, newestOf, type Before, type HistoryEntry, type HistoryLine } from './entry.ts';
import { appendLine, NO_MANIFEST, readManifest, replaceManifest, stateOfManifest, type ManifestState } from './manifest.ts';

export interface HistoryLimits {
  readonly checkpoints: number;
  /** Of one file that is kept. */
  readonly fileBytes: number;
  /** Of all contents together. */
  readonly allBytes: number;
  /** Of the manifest, beyond which the older half of the checkpoints goes. */
  readonly manifestBytes: number;
}

/** A file as it was found: open, or not there. */
export type Found =
  | { readonly kind: 'file'; readonly handle: FileHandle; readonly size: number; readonly mode: number }
  | Extract<Before, { kind: 'absent' }>;

/** Who writes a file: a turn, or `null` for rewinds. */
export interface Writer {
  readonly turn: string | null;
  readonly path: string;
}

export interface HistoryStore {
  /** Oldest first. */
  entries(): Promise<readonly HistoryEntry[]>;
  /** Keeps the state of a file, and resolves when it lies on the disk. @returns false when one was kept for this writer before */
  keep(writer: Writer, found: Found): Promise<boolean>;
  /** Takes that entry back. */
  takeBack(writer: Writer): Promise<void>;
  /** @returns `null` when the content is gone or damaged */
  content(hash: string): Promise<Buffer | null>;
}

interface Known {
  readonly manifest: ManifestState;
  readonly entries: HistoryEntry[];
  /** Digest and size of each content that is stored. */
  readonly contents: Map<string, number>;
}

/** @param directory private to the service; made when something is kept. Nothing is held open. */
export function createHistoryStore(directory: string, limits: HistoryLimits): HistoryStore {
  const manifest = join(directory, 'manifest.jsonl');
  const blobs = join(directory, 'blobs');
  let known: Known = { manifest: NO_MANIFEST, entries: [], contents: new Map() };

  async function load(): Promise<Known> {
    const state = await stateOfManifest(manifest);
    if (state.signature !== known.manifest.signature) await hold(await readManifest(manifest), state);
    return known;
  }

  async function hold(entries: HistoryEntry[], state: ManifestState): Promise<void> {
    known = { manifest: state, entries, contents: contentsOf(entries) };
    await removeBlobs(blobs, known.contents);
  }

  async function append(line: HistoryLine): Promise<void> {
    known = { ...known, manifest: await appendLine(manifest, line) };
    addLine(known.entries, line);
    if (line.before?.kind === 'file') known.contents.set(line.before.hash, line.before.size);
  }

  async function prune(): Promise<void> {
    const count = checkpointsOf(known.entries).length;
    const most = known.manifest.bytes > limits.manifestBytes ? Math.floor(count / 2) : count;
    const keeping = Math.max(1, Math.min(limits.checkpoints, most));
    if (count <= keeping) return;
    const newest = newestOf(known.entries, keeping);
    await hold(newest, await replaceManifest(manifest, newest));
  }

  return {
    entries: () => withLock(directory, async () => [...(await load()).entries]),
    content: (hash) => readBlob(blobs, hash),
    keep: (writer, found) =>
      withLock(directory, async () => {
        const { entries } = await load();
        const open = openCheckpoint(entries, writer.turn);
        if (entries.some(({ checkpoint, path }) => checkpoint === open && path === writer.path)) return false;
        await mkdir(blobs, { recursive: true, mode: 0o700 });
        const checkpoint = open ?? `cp_${randomUUID().replaceAll('-', '')}`;
        await append({ checkpoint, ...writer, at: Date.now(), before: await beforeOf(found, { blobs, contents: known.contents, limits }) });
        // What cannot be dropped now is dropped with the next checkpoint: this one is kept already.
        if (open === undefined && writer.turn !== null) await prune().catch(() => undefined);
        return true;
      }),
    takeBack: (writer) =>
      withLock(directory, async () => {
        const checkpoint = openCheckpoint((await load()).entries, writer.turn);
        if (checkpoint === undefined) return;
        await append({ checkpoint, ...writer, at: Date.now(), before: null });
        // Its content would take room from what is really kept.
        await hold(known.entries, known.manifest);
      }),
  };
}

/** What is kept of a file, its content stored where there is room for it. */
async function beforeOf(
  found: Found,
  { blobs, contents, limits }: { blobs: string; contents: ReadonlyMap<string, number>; limits: HistoryLimits },
): Promise<Before> {
  if (found.kind === 'absent') return found;
  const tooLarge = { kind: 'unkept', reason: `It was larger than ${sizeOf(limits.fileBytes)}, too large to be kept.` } as const;
  if (found.size > limits.fileBytes) return tooLarge;
  const used = contents.values().reduce((sum, size) => sum + size, 0);
  const isNew = (hash: string): boolean => !contents.has(hash);
  const fits = (size: number): boolean => used + size <= limits.allBytes;
  const wanted = (hash: string, size: number): boolean => isNew(hash) && fits(size);
  const stored = await storeBlob({ directory: blobs, source: found.handle, wanted, maxBytes: limits.fileBytes });
  if (stored === null) return tooLarge;
  if (isNew(stored.hash) && !fits(stored.size)) {
    return { kind: 'unkept', reason: `It was not kept: the history of a session holds ${sizeOf(limits.allBytes)} at most.` };
  }
  return { kind: 'file', ...stored, mode: found.mode };
}

/** The checkpoint that a writer adds to: that of its turn, or of the rewinds since the last turn. */
function openCheckpoint(entries: readonly HistoryEntry[], turn: string | null): string | undefined {
  if (turn !== null) return entries.findLast((entry) => entry.turn === turn)?.checkpoint;
  const last = entries.at(-1);
  return last?.turn === null ? last.checkpoint : undefined;
}

function contentsOf(entries: readonly HistoryEntry[]): Map<string, number> {
  return new Map(entries.flatMap(({ before }) => (before.kind === 'file' ? [[before.hash, before.size]] : [])));
}

function sizeOf(bytes: number): string {
  return bytes >= 1024 ** 3 ? `${bytes / 1024 ** 3} GiB` : `${bytes / 1024 ** 2} MiB`;
}
