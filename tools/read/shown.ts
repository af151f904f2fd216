import type { ResultContent } from '../../src/contract/index.ts';

/** What a call asks to see: lines or cells, counted from 1; `pages` for PDF files. */
export interface Range {
  readonly offset: number;
  readonly limit: number;
  readonly pages?: string;
}

/** What the model gets to see of a file. */
export interface Shown {
  readonly content: ResultContent;
  /** Whether that is everything, a part, or only a word on why there is nothing. */
  readonly extent: 'whole' | 'part' | 'nothing';
}

export function count(number: number): string {
  return number.toLocaleString('en-US');
}
