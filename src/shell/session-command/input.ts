// What every tool takes that runs a command.
import { z } from 'zod';

const DEFAULT_TIMEOUT_MS = 120_000;
const MAX_TIMEOUT_MS = 600_000;
/** Of a call: above the longest timeout of its command and that one's time to end, so that the tool keeps what was printed. */
export const CALL_TIMEOUT_MS = MAX_TIMEOUT_MS + 30_000;

export const timeoutInput = z
  .number()
  .positive()
  .optional()
  .describe(`Milliseconds after which the command is killed. Default: ${DEFAULT_TIMEOUT_MS}; more than ${MAX_TIMEOUT_MS} counts as that.`);

export const descriptionInput = z.string().optional().describe('What the command does, in five to ten words, for the people who watch.');

/** In whole milliseconds, clamped to what is allowed. */
export function timeoutOf({ timeout = DEFAULT_TIMEOUT_MS }: { readonly timeout?: number | undefined }): number {
  return Math.ceil(Math.min(timeout, MAX_TIMEOUT_MS));
}

/** Why no shell can run it, whatever its length; `null` when one can. */
export function faultOf(command: string): string | null {
  if (command.trim() === '') return 'command is empty: give something to run.';
  return command.includes('\0') ? 'command contains a NUL character, which no shell can take: remove it.' : null;
}
