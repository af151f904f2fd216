// A workspace with a history beside it, and turns that write through it.
import { lstat, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import type { FileHistory, Rewound, SessionFiles } from '../../../src/contract/index.ts';
import { createFileHistory, type FileHistoryOptions } from '../../../src/workspace/history/file-history.ts';
import { temporaryWorkspace, type TemporaryWorkspace } from './temporary-workspace.ts';

export interface HistoryWorld extends TemporaryWorkspace {
  /** Where the history is kept. */
  readonly directory: string;
  history: FileHistory;
  /** The service starts again. */
  restart(): void;
  /** One write of a turn, over what is there now. */
  write(turn: string, path: string, content: string | Buffer): Promise<void>;
  /** Rewinds to before a turn. */
  rewind(turn: string, dryRun?: boolean): Promise<Rewound | null>;
  blobs(): Promise<string[]>;
}

export async function historyWorld(t: TestContext, limits: FileHistoryOptions['limits'] = {}): Promise<HistoryWorld> {
  const place = await temporaryWorkspace(t);
  const { workspace, outputs, files } = place;
  const directory = join(dirname(workspace), 'history');
  const open = (): FileHistory =>
    createFileHistory({ directory, workspace, writableRoots: [workspace], readableRoots: [workspace, outputs], limits });
  const world: HistoryWorld = {
    ...place,
    directory,
    history: open(),
    restart: () => void (world.history = open()),
    write: (turn, path, content) => overwrite(world.history.filesFor(turn, files), { path: join(workspace, path), content }),
    async rewind(turn, dryRun = false) {
      const checkpoint = (await world.history.list()).find(({ turnId }) => turnId === turn);
      return world.history.rewind(checkpoint?.id ?? `none of ${turn}`, { dryRun });
    },
    blobs: () => readdir(join(directory, 'blobs')),
  };
  return world;
}

/** Writes over what is there now. */
export async function overwrite(
  files: SessionFiles,
  { path, content, mode }: { path: string; content: string | Buffer; mode?: number | undefined },
): Promise<void> {
  const present = await files.look(path);
  const request = { path, bytes: Buffer.from(content), expectedHash: present?.hash ?? null };
  await files.write(mode === undefined ? request : { ...request, mode });
}

/** Every file with its content and mode, every directory, every link. */
export async function treeOf(root: string): Promise<Record<string, string>> {
  const names = (await readdir(root, { recursive: true })).toSorted();
  const entries = names.map(async (name) => {
    const stats = await lstat(join(root, name));
    if (!stats.isFile()) return [name, stats.isDirectory() ? 'directory' : 'other'];
    return [name, `${(stats.mode & 0o7777).toString(8)} ${await readFile(join(root, name), 'base64')}`];
  });
  return Object.fromEntries(await Promise.all(entries)) as Record<string, string>;
}
