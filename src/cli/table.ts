import { clipped } from '../contract/index.ts';

/** Rows of texts in columns, the last of which is cut where a line would be wider than that. */
export function table(rows: readonly (readonly string[])[], width = Infinity): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => {
    const line = row.map((cell, column) => (column < row.length - 1 ? cell.padEnd(widths[column] ?? 0) : cell)).join('  ');
    return clipped(line, width);
  });
  return lines.map((line) => `${line}\n`).join('');
}
