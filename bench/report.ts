import type { LineResult } from './contest.ts';

const COLUMNS = ['', 'what', 'toolexec', 'against', '', 'ratio', 'rounds', 'target', 'CPU a call', 'faults', 'warm-up'] as const;

/** The results as a table of text: medians, their ratio, how far single rounds were apart, and the calls before that. */
export function table(results: readonly LineResult[]): string {
  const rows = [COLUMNS, ...results.map(cells)];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const leftAligned = new Set([1, 3]);
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (leftAligned.has(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  return [lines[0], '─'.repeat(Math.max(...lines.map(({ length }) => length))), ...lines.slice(1)].join('\n');
}

function cells(result: LineResult): string[] {
  const { row, name, ours, against, theirs, unit, ratio, ratios, target, cpuUs, faults, warmUpCalls } = result;
  const measured = (value: number): string => `${value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en')} ${unit}`;
  const met = target === null ? '–' : `≤ ${target} ${ratio <= target ? '✔' : '✘'}`;
  return [
    row,
    name,
    measured(ours),
    against,
    measured(theirs),
    `${ratio.toFixed(3)} ×`,
    `${ratios.low.toFixed(2)}–${ratios.high.toFixed(2)}`,
    met,
    cpuUs === null ? '' : `${Math.round(cpuUs)} µs`,
    faults === null ? '' : String(faults),
    `${warmUpCalls.toLocaleString('en')} calls`,
  ];
}
