// Lines as they fit into one result: each cut where it is too long, and no more of them than the result may hold.
import { headOf } from '../../src/contract/index.ts';
import { LINE_CHARS, RESULT_CHARS } from './limits.ts';

/** Characters that the number and the ends of a line take. */
const NUMBER_CHARS = 8;

export interface LineFitter {
  readonly lines: readonly string[];
  /** True when a line was cut. */
  cut(): boolean;
  /** True when no further line is taken. */
  full(): boolean;
  push(line: string): void;
}

/** @param limit lines taken at most */
export function fitLines(limit: number): LineFitter {
  const lines: string[] = [];
  let chars = 0;
  let cut = false;
  return {
    lines,
    cut: () => cut,
    full: () => chars > RESULT_CHARS || lines.length >= limit,
    push(whole) {
      const line = whole.length > LINE_CHARS ? headOf(whole, LINE_CHARS) + cutMark() : whole;
      chars += line.length + NUMBER_CHARS;
      // The first line is shown in any case: without it, reading on would never get anywhere.
      if (chars > RESULT_CHARS && lines.length > 0) return;
      lines.push(line);
      cut ||= line !== whole;
    },
  };
}

/** Made when a line is cut: the first number in words of a language takes the data of all languages. */
function cutMark(): string {
  return `… [line cut after ${LINE_CHARS.toLocaleString('en-US')} characters]`;
}
