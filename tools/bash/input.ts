import { z } from 'zod';
import type { Validation } from '../../src/contract/index.ts';

const DEFAULT_TIMEOUT_MS = 120_000;
export const MAX_TIMEOUT_MS = 600_000;
/** What the runner takes at most, in characters and in bytes: the kernel's limit for one argument. */
const MAX_COMMAND_CHARS = 100_000;
const MAX_COMMAND_BYTES = 131_071;

export const bashInput = z.strictObject({
  command: z.string().describe('The line to run with bash.'),
  timeout: z
    .number()
    .positive()
    .optional()
    .describe(
      `Milliseconds after which the command is killed. Default: ${DEFAULT_TIMEOUT_MS}; more than ${MAX_TIMEOUT_MS} counts as that.`,
    ),
  description: z.string().optional().describe('What the command does, in five to ten words, for the people who watch.'),
  run_in_background: z
    .boolean()
    .optional()
    .describe('Answer at once and let the command go on without a time limit: a server, a watcher, a long build. Default: false.'),
});

export type BashInput = z.output<typeof bashInput>;

/** In whole milliseconds, clamped to what is allowed. */
export function timeoutOf({ timeout = DEFAULT_TIMEOUT_MS }: BashInput): number {
  return Math.ceil(Math.min(timeout, MAX_TIMEOUT_MS));
}

export function validateBash({ command }: BashInput): Validation {
  if (command.trim() === '') return refuse('command is empty: give a line to run.');
  if (command.includes('\0')) return refuse('command contains a NUL character, which no shell can take: remove it.');
  if (command.length > MAX_COMMAND_CHARS || Buffer.byteLength(command) > MAX_COMMAND_BYTES) {
    return refuse(
      `command has ${command.length} characters; at most ${MAX_COMMAND_CHARS} (${MAX_COMMAND_BYTES} bytes) can be run. ` +
        'Write it to a file with Write and run the file.',
    );
  }
  return { ok: true };
}

function refuse(message: string): Validation {
  return { ok: false, message };
}
