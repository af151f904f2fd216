import type { CallContext, ProbeAnswer } from '../../src/contract/index.ts';
import { adopted } from '../../src/shell/session-command/adopted-command.ts';
import type { CommandEnd } from '../../src/shell/session-command/ended-command.ts';
import { startCommand, takeUp } from '../../src/shell/session-command/running-command.ts';
import type { PowerShellInput } from './input.ts';
import { resultOf } from './run.ts';

/** A call that was interrupted: its command may run on, or have ended meanwhile. It ends as it would have without that. */
export async function adoptPowerShell(input: PowerShellInput, context: CallContext): Promise<ProbeAnswer<CommandEnd>> {
  const command = startCommand(takeUp, context);
  try {
    return await adopted(context, command.result, (result) => resultOf(result, input, context));
  } finally {
    await command.leave();
  }
}
