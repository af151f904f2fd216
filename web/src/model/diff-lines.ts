// A unified diff as lines with their numbers.

export interface DiffLine {
  readonly kind: 'hunk' | 'added' | 'removed' | 'same' | 'note';
  readonly text: string;
  readonly before?: number;
  readonly after?: number;
}

const NO_NEWLINE = 'No newline at end of file';

/** @param limit lines at most; the last one then says how many are left out */
export function diffLines(diff: string, limit: number): DiffLine[] {
  const lines: DiffLine[] = [];
  let before = 0;
  let after = 0;
  const texts = diff.replace(/\n$/, '').split('\n');
  for (const [index, text] of texts.entries()) {
    if (lines.length === limit) return [...lines, { kind: 'note', text: `… ${texts.length - index} more lines` }];
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text);
    if (hunk !== null) {
      [before, after] = [Number(hunk[1]), Number(hunk[2])];
      lines.push({ kind: 'hunk', text });
    } else if (before === 0 && after === 0) {
      // Names of the files, which stand above the diff already.
      if (!/^(---|\+\+\+|Index:|diff |=+$)/.test(text)) lines.push({ kind: 'note', text });
    } else if (text.startsWith('+')) lines.push({ kind: 'added', text: text.slice(1), after: after++ });
    else if (text.startsWith('-')) lines.push({ kind: 'removed', text: text.slice(1), before: before++ });
    else if (text.startsWith('\\')) lines.push({ kind: 'note', text: text.slice(2) });
    else lines.push({ kind: 'same', text: text.slice(1), before: before++, after: after++ });
  }
  return isBothSides(lines) ? lines.filter(({ kind, text }) => kind !== 'note' || text !== NO_NEWLINE) : lines;
}

/** Where neither side ends with a line feed, nothing has changed about that. */
function isBothSides(lines: readonly DiffLine[]): boolean {
  return lines.filter(({ kind, text }) => kind === 'note' && text === NO_NEWLINE).length > 1;
}
