// What a history holds: how a file was before a turn, or a rewind, first wrote to it. Entries stand in the order of time.
import { z } from 'zod';
import { parsedJson, type Checkpoint } from '../../contract/index.ts';

const KeptFile = z.object({
  kind: z.literal('file'),
  /** Name of the blob that holds its bytes. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  size: z.int().min(0),
  /** Permission bits. */
  mode: z.int().min(0).max(0o7777),
});

const Before = z.discriminatedUnion('kind', [
  KeptFile,
  /** There was no file; the write also had to make so many of the directories above it. */
  z.object({ kind: z.literal('absent'), directories: z.int().min(0) }),
  /** It was not kept. */
  z.object({ kind: z.literal('unkept'), reason: z.string() }),
]);

const Line = z.object({
  checkpoint: z.string(),
  /** `null` for what rewinds have changed between two turns. */
  turn: z.string().nullable(),
  /** Milliseconds since 1970. */
  at: z.int(),
  /** Relative to the workspace, or absolute outside of it. */
  path: z.string(),
  /** `null` takes the entry of this checkpoint and path back: nothing was written after all. */
  before: Before.nullable(),
});

export type KeptFile = z.infer<typeof KeptFile>;
export type Before = z.infer<typeof Before>;
export type HistoryLine = z.infer<typeof Line>;
export interface HistoryEntry extends HistoryLine {
  readonly before: Before;
}

/** The entries that lines of text amount to. A line that a crash has torn is passed over: the write that it was to come before never began. */
export function entriesOf(text: string): HistoryEntry[] {
  const entries: HistoryEntry[] = [];
  for (const line of text.split('\n')) {
    const parsed = Line.safeParse(parsedJson(line)).data;
    if (parsed !== undefined) addLine(entries, parsed);
  }
  return entries;
}

/** Adds what a line says to the entries before it. */
export function addLine(entries: HistoryEntry[], { before, ...line }: HistoryLine): void {
  if (before !== null) {
    entries.push({ ...line, before });
    return;
  }
  const taken = entries.findLastIndex(({ checkpoint, path }) => checkpoint === line.checkpoint && path === line.path);
  if (taken !== -1) entries.splice(taken, 1);
}

/** Oldest first. */
export function checkpointsOf(entries: readonly HistoryEntry[]): Checkpoint[] {
  const checkpoints = new Map<string, Checkpoint & { files: string[] }>();
  for (const { checkpoint: id, turn, at, path } of entries) {
    if (turn === null) continue;
    const known = checkpoints.get(id);
    if (known === undefined) checkpoints.set(id, { id, turnId: turn, createdAt: at, files: [path] });
    else known.files.push(path);
  }
  return [...checkpoints.values()];
}

/** The entries of the last `count` checkpoints, and of the rewinds after the oldest of them began. */
export function newestOf(entries: readonly HistoryEntry[], count: number): HistoryEntry[] {
  const ids = new Set(
    checkpointsOf(entries)
      .slice(-count)
      .map(({ id }) => id),
  );
  const first = entries.findIndex(({ checkpoint }) => ids.has(checkpoint));
  return entries.filter(({ checkpoint, turn }, index) => (turn === null ? index > first : ids.has(checkpoint)));
}
