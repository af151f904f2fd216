import { z } from 'zod';
import type { PermissionContext, ToolPermission, Validation } from '../../src/contract/index.ts';
import { descriptionInput, faultOf, timeoutInput } from '../../src/shell/session-command/input.ts';

/** Encoded it becomes more than twice as long, and the kernel takes 128 KiB as one argument. */
const MAX_COMMAND_CHARS = 35_000;

export const powerShellInput = z.strictObject({
  command: z.string().describe('What PowerShell runs: one command, or a script of several lines.'),
  timeout: timeoutInput,
  description: descriptionInput,
});

export type PowerShellInput = z.output<typeof powerShellInput>;

export function validatePowerShell({ command }: PowerShellInput): Validation {
  const fault = faultOf(command);
  if (fault === null && command.length <= MAX_COMMAND_CHARS) return { ok: true };
  const message =
    fault ??
    `command has ${command.length} characters; at most ${MAX_COMMAND_CHARS} can be run. Write it to a .ps1 file with Write and run that.`;
  return { ok: false, message };
}

/** The line by which bash starts PowerShell with the command, of which nothing is left for bash to read. */
export function lineFor(command: string): string {
  const encoded = Buffer.from(command, 'utf16le').toString('base64');
  // Without the output format, errors of an encoded command come as XML.
  return `pwsh -NoLogo -NoProfile -NonInteractive -OutputFormat Text -EncodedCommand ${encoded}`;
}

const REMOVER = /(?<![\w-])(?:remove-item|ri|rm|rmdir|rd|del|erase|unlink)(?![\w-])/i;
const EVERYTHING = /^(?:\/|~|\.{1,2}|\$home|\$pwd|\$\{home\}|\$\{pwd\}|\$env:home)?[\\/]*\*?$/i;

/** Whether it may remove a whole directory that others need: the root, home, or the workspace. A guess that would rather ask. */
export function checkRemoval({ command }: PowerShellInput, { workspace }: PermissionContext): ToolPermission<PowerShellInput> {
  const words = command.split(/[\s"'`;|&(),<>@=]+/).filter((word) => word !== '');
  const isWhole = (word: string): boolean => EVERYTHING.test(word) || word.replace(/[\\/]+\*?$/, '') === workspace;
  if (!REMOVER.test(command) || !words.some(isWhole)) return { behavior: 'passthrough' };
  return { behavior: 'ask', reason: 'It may remove the root, the home directory, or a whole directory of this session.' };
}
