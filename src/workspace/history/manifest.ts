// The entries of a history on disk, as lines of JSON that are only ever appended to, or replaced as a whole.
import type { BigIntStats } from 'node:fs';
import { open, readFile, rename, stat } from 'node:fs/promises';
import { hasCode } from '../file-failure.ts';
import { entriesOf, type HistoryEntry, type HistoryLine } from './entry.ts';

/** One state of the file. */
export interface ManifestState {
  /** Differs from that of any other state; empty when there is no file. */
  readonly signature: string;
  readonly bytes: number;
}

export const NO_MANIFEST: ManifestState = { signature: '', bytes: 0 };

export async function stateOfManifest(file: string): Promise<ManifestState> {
  try {
    return stateOf(await stat(file, { bigint: true }));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return NO_MANIFEST;
    throw error;
  }
}

export async function readManifest(file: string): Promise<HistoryEntry[]> {
  try {
    return entriesOf(await readFile(file, 'utf8'));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

/** Resolves when the line lies on the disk. */
export async function appendLine(file: string, line: HistoryLine): Promise<ManifestState> {
  // The first line feed ends what a crash may have left of the line before.
  return writeSynced(file, { flags: 'a', text: `\n${JSON.stringify(line)}\n` });
}

export async function replaceManifest(file: string, entries: readonly HistoryEntry[]): Promise<ManifestState> {
  const temporary = `${file}.tmp`;
  const text = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
  await writeSynced(temporary, { flags: 'w', text });
  await rename(temporary, file);
  return stateOfManifest(file);
}

async function writeSynced(file: string, { flags, text }: { flags: string; text: string }): Promise<ManifestState> {
  await using handle = await open(file, flags, 0o600);
  await handle.writeFile(text);
  await handle.sync();
  return stateOf(await handle.stat({ bigint: true }));
}

function stateOf({ ino, size, mtimeNs }: BigIntStats): ManifestState {
  return { signature: `${ino}-${size}-${mtimeNs}`, bytes: Number(size) };
}
