// The results as a picture: each line's ratio as a part of its target, so that all lines share one scale and one limit. Text
// stays text, and the colours follow the reader's.
import { measured, ratioText, targetText } from './cells.ts';
import { moreIsBetter, type LineResult } from './result.ts';

const WIDTH = 1120;
const LABELS = 470;
const VALUES = 350;
const TOP = 56;
const STEP = 21;
/** Ends of the scale, which is logarithmic; what lies beyond is drawn at its end. */
const SCALE = { least: 1 / 16, most: 4 } as const;
const TICKS = [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4];

const STYLE = `
  text { font: 12px system-ui, -apple-system, 'Segoe UI', 'Noto Sans', sans-serif; fill: #18212d; }
  .soft { fill: #536070; }
  .end { text-anchor: end; }
  .middle { text-anchor: middle; }
  .title { font-size: 15px; font-weight: 600; }
  .grid { stroke: #d9dfe7; }
  .target { stroke: #18212d; stroke-width: 1.5; }
  .met { stroke: #1b6546; fill: #2a8a62; }
  .missed { stroke: #a92c2c; fill: #ffffff; }
  .missed, .met { stroke-width: 2; }
  @media (prefers-color-scheme: dark) {
    text { fill: #dde5ef; }
    .soft { fill: #9aa7b8; }
    .grid { stroke: #3a4656; }
    .target { stroke: #dde5ef; }
    .met { stroke: #4fc795; fill: #2f9c6f; }
    .missed { stroke: #ff8a8a; fill: #18212d; }
  }
`;

/** An SVG of the lines that have a target. */
export function plot(results: readonly LineResult[]): string {
  const lines = results.filter(({ target }) => target !== null);
  const bottom = TOP + lines.length * STEP;
  const missed = lines.filter(({ met }) => met === false).length;
  const summary = `${lines.length - missed} of ${lines.length} targets are met.`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${bottom + 44}" role="img" aria-labelledby="title summary">`,
    `<title id="title">What toolexec costs, as a part of what it may cost</title>`,
    `<desc id="summary">${summary} The table of this page has the numbers.</desc>`,
    `<style>${STYLE}</style>`,
    text({ x: 8, y: 22, kind: 'title' }, 'What toolexec costs, as a part of what it may cost'),
    text({ x: 8, y: 41, kind: 'soft' }, 'Filled: within the target. Hollow: beyond it. The line through a mark: single rounds.'),
    ...TICKS.flatMap((tick) => gridLine(tick, bottom)),
    ...lines.flatMap((line, index) => rowOf(line, TOP + (index + 0.5) * STEP)),
    text({ x: at(1), y: bottom + 34, kind: 'soft middle' }, 'target'),
    '</svg>',
    '',
  ].join('\n');
}

function gridLine(tick: number, bottom: number): string[] {
  const x = at(tick);
  const label = tick < 1 ? `1/${1 / tick}` : String(tick);
  return [
    `<line class="${tick === 1 ? 'target' : 'grid'}" x1="${x}" x2="${x}" y1="${TOP - 4}" y2="${bottom + 4}"/>`,
    text({ x, y: bottom + 19, kind: 'soft middle' }, label),
  ];
}

function rowOf(line: LineResult, y: number): string[] {
  const { row, name, against, ratios, ratio, ours, theirs, unit } = line;
  const ends = [ratios.low, ratios.high].map((value) => at(partOf(line, value)));
  const kind = line.met === true ? 'met' : 'missed';
  return [
    text({ x: 30, y: y + 4, kind: 'soft end' }, row),
    text({ x: 38, y: y + 4 }, name),
    `<line class="${kind}" x1="${ends[0]}" x2="${ends[1]}" y1="${y}" y2="${y}"/>`,
    `<circle class="${kind}" cx="${at(partOf(line, ratio))}" cy="${y}" r="5"><title>${escaped(`${measured(ours, unit)} against ${measured(theirs, unit)}`)}</title></circle>`,
    text({ x: WIDTH - VALUES + 74, y: y + 4, kind: 'end' }, ratioText(line)),
    text({ x: WIDTH - VALUES + 86, y: y + 4, kind: 'soft' }, `${targetText(line)} × ${against}`),
  ];
}

/** A ratio as a part of the target: more than 1 is beyond it, also for rates. */
function partOf({ target, unit }: LineResult, ratio: number): number {
  const limit = target ?? 1;
  return moreIsBetter(unit) ? limit / ratio : ratio / limit;
}

/** Where a part of a target lies. */
function at(part: number): number {
  const within = Math.min(SCALE.most, Math.max(SCALE.least, part));
  const share = Math.log(within / SCALE.least) / Math.log(SCALE.most / SCALE.least);
  return Math.round((LABELS + share * (WIDTH - LABELS - VALUES)) * 10) / 10;
}

function text({ x, y, kind }: { x: number; y: number; kind?: string }, content: string): string {
  return `<text x="${x}" y="${y}"${kind === undefined ? '' : ` class="${kind}"`}>${escaped(content)}</text>`;
}

function escaped(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
