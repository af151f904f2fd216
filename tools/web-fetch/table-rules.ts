// Tables with pipes, in time that grows with their size alone.
import type TurndownService from 'turndown';
import type { DomElement } from './dom.ts';

const MAX_SPAN = 50;

export const tableRules = {
  cell: {
    filter: ['td', 'th'],
    replacement: (content, node) => ` ${inOneLine(content)} |${' |'.repeat(spanOf(node) - 1)}`,
  },
  row: { filter: 'tr', replacement: (content) => (content === '' ? '' : `\n|${content}`) },
  section: { filter: ['thead', 'tbody', 'tfoot'], replacement: (content) => content },
  // The table says it, above its rows.
  caption: { filter: ['caption', 'colgroup', 'col'], replacement: () => '' },
  table: { filter: 'table', replacement: (content, node) => table(content, node) },
} as const satisfies Record<string, TurndownService.Rule>;

function inOneLine(content: string): string {
  return content
    .trim()
    .replace(/\s*\n\s*/g, '<br>')
    .replaceAll('|', String.raw`\|`);
}

function spanOf(cell: DomElement): number {
  const span = Number(cell.getAttribute('colspan') ?? 1);
  return Number.isInteger(span) && span > 1 ? Math.min(span, MAX_SPAN) : 1;
}

function table(content: string, node: DomElement): string {
  const lines = content.split('\n').filter((line) => line !== '');
  const [first] = lines;
  if (first === undefined) return '';
  const row = node.querySelector('tr');
  const columns = [...(row?.querySelectorAll('td, th') ?? [])].reduce((sum, cell) => sum + spanOf(cell), 0);
  const isHeaded = row?.querySelector('td') === null;
  const header = isHeaded ? first : `|${'  |'.repeat(columns)}`;
  const caption = node.querySelector('caption')?.textContent?.replace(/\s+/g, ' ').trim() ?? '';
  const rows = [header, `|${' --- |'.repeat(columns)}`, ...lines.slice(isHeaded ? 1 : 0)];
  return `\n\n${caption === '' ? '' : `${caption}\n\n`}${rows.join('\n')}\n\n`;
}
