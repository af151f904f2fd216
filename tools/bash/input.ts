import { z } from 'zod';
import { commandFault, type Validation } from '../../src/contract/index.ts';
import { descriptionInput, faultOf, timeoutInput } from '../../src/shell/session-command/input.ts';

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
  const message = faultOf(command) ?? commandFault(command);
  return message === null ? { ok: true } : { ok: false, message };
}
