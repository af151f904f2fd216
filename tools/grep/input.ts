import { z } from 'zod';

/** Entries that an answer shows when the call does not say. */
const DEFAULT_HEAD_LIMIT = 250;
/** Entries that an answer shows at most. */
export const MAX_HEAD_LIMIT = 10_000;

const contextLines = z.int().min(0).max(1_000).optional();

export const grepInput = z.strictObject({
  pattern: z.string().min(1).max(10_000).describe('Regular expression to look for.'),
  path: z.string().min(1).max(4_096).optional().describe('File or directory to search. Leave it out for the working directory.'),
  glob: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Only files whose path matches, such as "*.ts"; with "!" in front, all but those.'),
  type: z.string().min(1).max(64).optional().describe('Only files of a language ripgrep knows, such as "js", "py" or "rust".'),
  output_mode: z
    .enum(['content', 'files_with_matches', 'count'])
    .default('files_with_matches')
    .describe('Matching lines, paths of matching files, or the number of matching lines per file.'),
  '-i': z.boolean().default(false).describe('Ignore case.'),
  '-n': z.boolean().default(true).describe('Show line numbers; counts for "content" only.'),
  '-A': contextLines.describe('Lines to show after each match; counts for "content" only.'),
  '-B': contextLines.describe('Lines to show before each match; counts for "content" only.'),
  '-C': contextLines.describe('Lines to show before and after each match; counts for "content" only.'),
  multiline: z.boolean().default(false).describe('Let the pattern match across lines.'),
  head_limit: z
    .int()
    .min(0)
    .max(MAX_HEAD_LIMIT)
    .default(DEFAULT_HEAD_LIMIT)
    .describe('Entries to show at most; 0 for the most there may be.'),
  offset: z.int().min(0).max(1_000_000).default(0).describe('Entries to skip first.'),
});
export type GrepInput = z.output<typeof grepInput>;
