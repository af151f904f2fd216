// One call: PowerShell runs while its output is passed on, then the result is made of what lies in the output file.
import type { CallContext, CommandResult, ToolEmission, ToolResult } from '../../src/contract/index.ts';
import { resultOfCommand, type CommandEnd } from '../../src/shell/session-command/ended-command.ts';
import { makeHome, sessionEnvironment } from '../../src/shell/session-command/environment.ts';
import { timeoutOf } from '../../src/shell/session-command/input.ts';
import {
  beginLine,
  callFacts,
  MAX_OUTPUT_BYTES,
  startCommand,
  type CommandProgress,
} from '../../src/shell/session-command/running-command.ts';
import { startDirectory } from '../../src/shell/session-command/start-directory.ts';
import { lineFor, type PowerShellInput } from './input.ts';

const QUIET = { NO_COLOR: '1', POWERSHELL_TELEMETRY_OPTOUT: '1', POWERSHELL_UPDATECHECK: 'Off', DOTNET_CLI_TELEMETRY_OPTOUT: '1' };

export type PowerShellProgress = CommandProgress;

export async function* runPowerShell(
  input: PowerShellInput,
  context: CallContext,
): AsyncGenerator<ToolEmission<PowerShellProgress>, ToolResult<CommandEnd>, void> {
  const [{ cwd }] = await Promise.all([startDirectory(context), makeHome(context)]);
  const line = {
    ...callFacts(context),
    adoptable: context.sessionId,
    command: lineFor(input.command),
    cwd,
    env: { ...QUIET, ...sessionEnvironment(context) },
    timeoutMs: timeoutOf(input),
    maxOutputBytes: MAX_OUTPUT_BYTES,
  };
  const command = startCommand(beginLine(line), context);
  try {
    yield* command.progress();
    return await resultOf(await command.result, input, context);
  } finally {
    // The reader may have left early; then nobody is there to wait for it, and it must end all the same.
    await command.leave();
  }
}

export function resultOf(result: CommandResult, input: PowerShellInput, context: CallContext): Promise<ToolResult<CommandEnd>> {
  return resultOfCommand(result, { failed: result.exitCode !== 0 || result.stopped !== null, timeoutMs: timeoutOf(input) }, context);
}
