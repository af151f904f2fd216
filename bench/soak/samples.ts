// What a server holds, looked at again and again while nothing runs, and whether that grows.
import type { ProcessUse } from '../servers/serve-parent.ts';
import { median } from '../statistics.ts';
import type { TreeUse } from './process-tree.ts';

export type Held = Pick<ProcessUse, 'rssBytes' | 'heapBytes' | 'externalBytes'> & TreeUse;

export interface Sample extends Held {
  /** What had been done when it was taken. */
  readonly after: string;
}

interface Measure {
  readonly name: string;
  readonly of: (held: Held) => number;
  readonly show: (value: number) => string;
  /** What may be added beside a tenth, in its own unit: of little, a tenth is less than what comes and goes. */
  readonly slack: number;
}

const MIB = 2 ** 20;
const mib = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`;
const MEASURES: readonly Measure[] = [
  { name: 'resident', of: ({ rssBytes }) => rssBytes, show: mib, slack: 4 * MIB },
  { name: 'heap', of: ({ heapBytes }) => heapBytes, show: mib, slack: 2 * MIB },
  { name: 'buffers', of: ({ externalBytes }) => externalBytes, show: mib, slack: 4 * MIB },
  { name: 'helpers', of: ({ childBytes }) => childBytes, show: mib, slack: 8 * MIB },
  { name: 'open files', of: ({ openFiles }) => openFiles, show: String, slack: 4 },
  { name: 'processes', of: ({ processes }) => processes, show: String, slack: 0 },
];
/** Growth from the first third to the last third that is still noise. */
const TOLERANCE = 1.1;

export interface Growth {
  readonly what: string;
  /** Median of a third. */
  readonly first: string;
  readonly last: string;
  readonly grows: boolean;
}

/** @param samples at least three, oldest first, taken when the server was warm: caches fill and code is compiled before */
export function growths(samples: readonly Held[]): Growth[] {
  const third = Math.floor(samples.length / 3);
  return MEASURES.map(({ name, of, show, slack }) => {
    const first = median(samples.slice(0, third).map(of));
    const last = median(samples.slice(-third).map(of));
    return { what: name, first: show(first), last: show(last), grows: last > first * TOLERANCE + slack };
  });
}

const FIRST_COLUMN = 34;
const COLUMN = 12;

export function tableHead(): string {
  const head = row(
    'after',
    MEASURES.map(({ name }) => name),
  );
  return `${head}\n${'─'.repeat(head.length)}`;
}

export function tableRow({ after, ...held }: Sample): string {
  return row(
    after,
    MEASURES.map(({ of, show }) => show(of(held))),
  );
}

function row(first: string, others: readonly string[]): string {
  return first.padEnd(FIRST_COLUMN) + others.map((cell) => cell.padStart(COLUMN)).join('');
}
