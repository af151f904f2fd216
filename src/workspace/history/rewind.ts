// Back to the state before a checkpoint: every file is looked at first, which says what has to happen. Then files that did
// not exist are removed, with the directories that were made for them, and the others are put back.
import { dirname } from 'node:path';
import { FileError, type Rewound } from '../../contract/index.ts';
import type { Roots } from '../confine.ts';
import { asFileError } from '../file-failure.ts';
import type { Before, HistoryEntry, KeptFile } from './entry.ts';
import type { HistoryStore } from './history-store.ts';
import { lookAt, removeEmptyDirectory, removeFile, restoreFile, type PresentFile } from './put-back.ts';
import type { RecordedWrite } from './record-writes.ts';

export interface RewindHost {
  readonly store: HistoryStore;
  readonly roots: Roots;
  /** The absolute path of one of the history. */
  readonly located: (path: string) => string;
  /** What the rewind itself writes is kept too: going back to a later checkpoint may need it. */
  readonly record: RecordedWrite;
}

/** Paths as the history names them. */
type Step = { readonly path: string } & (
  | { readonly kind: 'remove'; readonly was: PresentFile }
  | { readonly kind: 'restore'; readonly was: PresentFile | null; readonly to: KeptFile }
);

type Skipped = Rewound['skipped'][number];

/** @param entries those of the checkpoint, and all since */
export async function rewindFiles(entries: readonly HistoryEntry[], host: RewindHost, dryRun: boolean): Promise<Rewound> {
  const plan = await attemptEach(oldestOf(entries), host, (wanted) => stepTo(wanted, host));
  const removals = plan.done.filter(({ kind }) => kind === 'remove');
  const restorations = plan.done.filter(({ kind }) => kind === 'restore');
  if (dryRun) return { restored: pathsOf(restorations), removed: pathsOf(removals), skipped: plan.skipped };
  const removed = await attemptEach(removals, host, (step) => carryOut(step, host));
  for (const path of madeDirectories(entries, host)) await removeEmptyDirectory(path, host.roots);
  const restored = await attemptEach(restorations, host, (step) => carryOut(step, host));
  return {
    restored: pathsOf(restored.done),
    removed: pathsOf(removed.done),
    skipped: [...plan.skipped, ...removed.skipped, ...restored.skipped],
  };
}

/** The state that each file had first. */
function oldestOf(entries: readonly HistoryEntry[]): { path: string; before: Before }[] {
  const oldest = new Map<string, { path: string; before: Before }>();
  for (const { path, before } of entries) if (!oldest.has(path)) oldest.set(path, { path, before });
  return [...oldest.values()];
}

/** @returns `null` when the file is as it was already. @throws FileError when it cannot be put back */
async function stepTo({ path, before }: { path: string; before: Before }, { roots, located, store }: RewindHost): Promise<Step | null> {
  if (before.kind === 'unkept') throw new FileError('io', before.reason);
  const was = await lookAt(located(path), roots);
  if (before.kind === 'absent') return was && { kind: 'remove', path, was };
  if (was?.hash === before.hash && was.mode === before.mode) return null;
  if ((await store.content(before.hash)) === null) throw lostError();
  return { kind: 'restore', path, was, to: before };
}

async function carryOut(step: Step, { roots, located, store, record }: RewindHost): Promise<Step> {
  const path = located(step.path);
  const { was } = step;
  if (step.kind === 'remove') {
    await record(path, () => removeFile({ path, roots, was: step.was }));
    return step;
  }
  const bytes = await store.content(step.to.hash);
  if (bytes === null) throw lostError();
  await record(path, () => restoreFile({ path, roots, was }, { bytes, mode: step.to.mode }));
  return step;
}

/** Absolute paths, the deepest first. */
function madeDirectories(entries: readonly HistoryEntry[], { located }: RewindHost): string[] {
  const made = new Set<string>();
  for (const { path, before } of entries) {
    let above = located(path);
    for (let left = before.kind === 'absent' ? before.directories : 0; left > 0; left -= 1) made.add((above = dirname(above)));
  }
  return [...made].toSorted((one, other) => other.length - one.length);
}

async function attemptEach<Item extends { readonly path: string }>(
  items: readonly Item[],
  { located }: RewindHost,
  action: (item: Item) => Promise<Step | null>,
): Promise<{ done: Step[]; skipped: Skipped[] }> {
  const done: Step[] = [];
  const skipped: Skipped[] = [];
  for (const item of items) {
    try {
      const step = await action(item);
      if (step !== null) done.push(step);
    } catch (error) {
      const absolute = located(item.path);
      const failure = asFileError(error, absolute);
      if (!(failure instanceof FileError)) throw error;
      skipped.push({ path: item.path, reason: failure.message.replaceAll(absolute, () => item.path) });
    }
  }
  return { done, skipped };
}

function pathsOf(steps: readonly Step[]): string[] {
  return steps.map(({ path }) => path);
}

function lostError(): FileError {
  return new FileError('io', 'What was kept of it is lost or damaged.');
}
