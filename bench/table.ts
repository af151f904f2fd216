import { caption, measured, ratioText, spreadText, targetText, verdict } from './cells.ts';
import type { LineResult, Report } from './result.ts';

const COLUMNS = ['', 'what', 'toolexec', 'against', '', 'ratio', 'rounds', 'target', '', 'CPU a call', 'faults', 'warm-up'] as const;
const LEFT_ALIGNED = new Set([1, 3]);

/** The results as a table of text, and below it what was not measured and what is not compared. */
export function table(report: Report): string {
  const rows = [COLUMNS, ...report.results.map(cells)];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => (LEFT_ALIGNED.has(column) ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
  const rest = [
    ...report.leftOut.map(({ names, reason, failed }) => `${failed ? 'Failed' : 'Left out'}: ${names.join('; ')}. ${reason}`),
    ...report.facts.map(({ name, value }) => `${name}: ${value}`),
    `${caption(report)}.`,
  ];
  return [lines[0], '─'.repeat(Math.max(...lines.map(({ length }) => length))), ...lines.slice(1), '', ...rest].join('\n');
}

function cells(result: LineResult): string[] {
  const { row, name, ours, against, theirs, unit, cpuUs, faults, warmUpCalls } = result;
  return [
    row,
    name,
    measured(ours, unit),
    against,
    measured(theirs, unit),
    ratioText(result),
    spreadText(result),
    targetText(result),
    verdict(result),
    cpuUs === null ? '' : `${Math.round(cpuUs)} µs`,
    faults === null ? '' : String(faults),
    `${warmUpCalls.toLocaleString('en')} calls`,
  ];
}
