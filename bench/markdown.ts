// The table of the documents, which is replaced as a whole.
import { caption, measured, ratioText, spreadText, targetText, verdict } from './cells.ts';
import type { LineResult, Report } from './result.ts';

const BEGIN = '<!-- results: written by `npm run bench -- --docs` -->';
const END = '<!-- end of the results -->';

/** The page with these results in place of those it had. @throws Error for a page without the marks */
export function renewTable(page: string, report: Report): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error(`The page must have the lines ${BEGIN} and ${END}, with the results between them.`);
  return `${page.slice(0, begin)}${BEGIN}\n${section(report)}\n${page.slice(end)}`;
}

function section(report: Report): string {
  const { results, leftOut, facts } = report;
  const head = '| row | what | toolexec | against | | ratio | rounds | target | |\n|--:|---|--:|---|--:|--:|--:|--:|---|';
  const notes = [
    ...leftOut.map(({ names, reason }) => `- Not measured: ${names.join('; ')}. ${reason}`),
    ...facts.map(({ name, value }) => `- ${name}: ${value}.`),
  ];
  return [`${caption(report)}.\n`, head, ...results.map(row), ...(notes.length > 0 ? ['', ...notes] : [])].join('\n');
}

function row(result: LineResult): string {
  const { row: number, name, ours, against, theirs, unit } = result;
  const cells = [number, name, measured(ours, unit), against, measured(theirs, unit), ratioText(result), spreadText(result)];
  return `| ${[...cells, targetText(result), verdict(result)].join(' | ')} |`;
}
