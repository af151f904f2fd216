import type { ToolResult } from '../../src/contract/index.ts';
import { leftOutNote } from '../../src/search/settled.ts';
import type { GrepInput } from './input.ts';
import { MAX_HEAD_LIMIT } from './input.ts';

export interface GrepOutput {
  /** Paths, `path:count`, or lines of content, as the model gets them. */
  lines: string[];
  truncated: boolean;
}

/** What a search found, before it is cut to the page that was asked for. */
export interface Found {
  readonly lines: readonly string[];
  /** False when there are more than these. */
  readonly isWhole: boolean;
  /** What the answer begins with, if anything. */
  readonly summary?: string;
  /** Files that are not among them, since they may have been moved while they were searched. */
  readonly leftOut: number;
}

/** Entries that one answer shows at most. */
export function pageSize(input: GrepInput): number {
  return input.head_limit || MAX_HEAD_LIMIT;
}

export const NO_FILES = 'No files found';
export const NO_MATCHES = 'No matches found';

/** The page from `offset` on, and how to get the next one. */
export function answer(input: GrepInput, found: Found): ToolResult<GrepOutput> {
  const { content, output } = page(input, found);
  return { content: [content, ...leftOutNote(found.leftOut)].join('\n'), output };
}

function page(input: GrepInput, found: Found): { content: string; output: GrepOutput } {
  const { offset, output_mode } = input;
  const end = offset + pageSize(input);
  const lines = found.lines.slice(offset, end);
  const truncated = !found.isWhole || found.lines.length > end;
  const output = { lines, truncated };
  if (found.lines.length === 0) return { content: output_mode === 'files_with_matches' ? NO_FILES : NO_MATCHES, output };
  const noun = output_mode === 'content' ? 'lines' : 'files';
  const total = `${found.isWhole ? '' : 'at least '}${found.lines.length} ${noun}`;
  if (lines.length === 0) return { content: `Nothing can be shown from offset ${offset} on: there are ${total} to page through.`, output };
  const next = found.lines.length > end ? `Pass offset ${end} to see more, or narrow` : 'Narrow';
  const note = `(Showing ${offset + 1} to ${offset + lines.length} of ${total}. ${next} the pattern, path, glob or type.)`;
  return { content: [...(found.summary ? [found.summary] : []), ...lines, ...(truncated ? [note] : [])].join('\n'), output };
}
