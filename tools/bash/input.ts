import { z } from 'zod';
import type { Validation } from '../../src/contract/index.ts';
import { descriptionInput, faultOf, timeoutInput } from '../../src/shell/session-command/input.ts';

/** What the runner takes at most, in characters and in bytes: the kernel's limit for one argument. */
const MAX_COMMAND_CHARS = 100_000;
const MAX_COMMAND_BYTES = 131_071;

export const bashInput = z.strictObject({
  command: z.string().describe('The line to run with bash.'),
  timeout: timeoutInput,
  description: descriptionInput,
  run_in_background: z
    .boolean()
    .optional()
    .describe('Answer at once and let the command go on without a time limit: a server, a watcher, a long build. Default: false.'),
});

export type BashInput = z.output<typeof bashInput>;

export function validateBash({ command }: BashInput): Validation {
  const message = faultOf(command) ?? tooLong(command);
  return message === null ? { ok: true } : { ok: false, message };
}

function tooLong(command: string): string | null {
  if (command.length <= MAX_COMMAND_CHARS && Buffer.byteLength(command) <= MAX_COMMAND_BYTES) return null;
  return (
    `command has ${command.length} characters; at most ${MAX_COMMAND_CHARS} (${MAX_COMMAND_BYTES} bytes) can be run. ` +
    'Write it to a file with Write and run the file.'
  );
}
