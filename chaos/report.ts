// What a run has to say: as data, and as text.
import type { ChaosOptions } from './options.ts';
import { FAULTS, FAULT_KINDS } from './plan/faults.ts';
import type { Ledger, Violation } from './ledger.ts';

/** How far times are apart, in milliseconds. */
export interface Spread {
  readonly count: number;
  readonly median: number;
  readonly p90: number;
  readonly worst: number;
  readonly limit: number;
  /** How many are within the limit. */
  readonly within: number;
}

export interface Report {
  readonly options: ChaosOptions;
  readonly seconds: number;
  /** Why kinds of faults were left out. */
  readonly leftOut: readonly string[];
  readonly storms: number;
  readonly counts: Readonly<Record<string, number>>;
  /** From the end of a storm to the end of the turns that were open then, beyond what their calls take by themselves. */
  readonly settling: Spread;
  readonly violated: number;
  /** The first of them. */
  readonly violations: readonly Violation[];
}

export function makeReport(ledger: Ledger, run: Pick<Report, 'options' | 'seconds' | 'leftOut' | 'storms' | 'settling'>): Report {
  const counts = Object.fromEntries([...ledger.counts].toSorted(([one], [other]) => one.localeCompare(other)));
  return { ...run, counts, violated: ledger.violated, violations: ledger.violations };
}

const SHOWN = 20;

/** The report as lines of text. */
export function reportText({ options, seconds, leftOut, storms, counts, settling, violated, violations }: Report): string {
  const { seed, store, nodes, sessions } = options;
  const faults = FAULT_KINDS.flatMap((kind) => row(FAULTS[kind].text, counts[`fault ${kind}`]));
  const work = Object.entries(counts).filter(([name]) => !name.startsWith('fault '));
  const { count, median, p90, worst, limit, within } = settling;
  return [
    `seed ${seed}: ${sessions} sessions, ${nodes} nodes on ${store}, ${storms} storms, ${seconds.toFixed(0)} s`,
    '',
    'faults',
    ...faults,
    ...leftOut.map((why) => `  left out: ${why}`),
    '',
    'work',
    ...work.flatMap(([name, times]) => row(name, times)),
    '',
    `turns open when a storm ended: ${count}; then they took ${ms(median)} (median), ${ms(p90)} (p90), ${ms(worst)} (worst) beyond their own work`,
    `  ${within} of ${count} within lease time + 3 s (${ms(limit)})`,
    '',
    violated === 0 ? 'violations: none' : `violations: ${violated}`,
    ...violations.slice(0, SHOWN).map(violationText),
    ...(violated > SHOWN ? [`  … and ${violated - SHOWN} more`] : []),
  ].join('\n');
}

export function violationText({ where, what, more, atMs }: Violation): string {
  return [`  ✘ ${(atMs / 1_000).toFixed(1)} s, ${where}: ${what}`, ...(more === undefined ? [] : [`      ${more}`])].join('\n');
}

function row(name: string, times: number | undefined): string[] {
  return times === undefined ? [] : [`  ${String(times).padStart(7)}  ${name}`];
}

function ms(value: number): string {
  return value < 1_000 ? `${Math.round(value)} ms` : `${(value / 1_000).toFixed(1)} s`;
}
