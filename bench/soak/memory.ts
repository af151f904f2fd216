// Samples of a server's memory, and whether it grows.
import type { ProcessUse } from '../servers/serve-parent.ts';
import { median } from '../statistics.ts';

/** Growth from the middle third to the last third that is still noise. */
const TOLERANCE = 1.1;

export interface MemorySample {
  /** What had been done when it was taken. */
  readonly after: string;
  readonly use: ProcessUse;
}

export interface Growth {
  readonly what: string;
  /** Median of the last third over median of the middle third. */
  readonly ratio: number;
  readonly grows: boolean;
}

/** The first third is left out: caches fill and code is compiled then. @param samples at least three, oldest first */
export function memoryGrowth(samples: readonly ProcessUse[]): Growth[] {
  const third = Math.floor(samples.length / 3);
  const middle = samples.slice(third, samples.length - third);
  const last = samples.slice(samples.length - third);
  const parts = { 'resident memory': (use: ProcessUse) => use.rssBytes, heap: (use: ProcessUse) => use.heapBytes };
  return Object.entries(parts).map(([what, bytes]) => {
    const ratio = median(last.map(bytes)) / median(middle.map(bytes));
    return { what, ratio, grows: ratio > TOLERANCE };
  });
}

const COLUMNS = [20, 12, 12, 12] as const;

export function memoryHead(): string {
  const head = row('after', ['resident', 'heap', 'buffers']);
  return `${head}\n${'─'.repeat(head.length)}`;
}

export function memoryRow({ after, use }: MemorySample): string {
  return row(
    after,
    [use.rssBytes, use.heapBytes, use.externalBytes].map((bytes) => `${(bytes / 1_048_576).toFixed(1)} MiB`),
  );
}

function row(first: string, others: readonly string[]): string {
  return first.padEnd(COLUMNS[0]) + others.map((cell, index) => cell.padStart(COLUMNS[index + 1] ?? 0)).join('');
}
