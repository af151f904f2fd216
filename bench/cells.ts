// How results are written, wherever they are shown.
import { moreIsBetter, type LineResult, type Report } from './result.ts';

/** A measured value with its unit. */
export function measured(value: number, unit: LineResult['unit']): string {
  return `${value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en')}${unit === '/s' ? '' : ' '}${unit}`;
}

export function ratioText({ ratio }: LineResult): string {
  return `${ratio.toFixed(ratio < 0.1 ? 3 : 2)} ×`;
}

/** Lowest and highest ratio of a round; nothing where there was only one. */
export function spreadText({ rounds, ratios: { low, high } }: LineResult): string {
  return rounds === 1 ? '–' : `${low.toFixed(2)}–${high.toFixed(2)}`;
}

/** What was to be reached. */
export function targetText({ target, unit }: LineResult): string {
  if (target === null) return '–';
  return `${moreIsBetter(unit) ? '≥' : '≤'} ${Number(target.toFixed(2))}`;
}

export function verdict({ met }: LineResult): string {
  if (met === null) return '';
  return met ? '✔' : '✘';
}

/** Where and when. */
export function caption({ date, node, cpus, rounds, note }: Report): string {
  return `${date.slice(0, 10)}, Node ${node.slice(1)}, ${cpus} cores, medians of ${rounds} round${rounds === 1 ? '' : 's'}${note === undefined ? '' : `; ${note}`}`;
}
