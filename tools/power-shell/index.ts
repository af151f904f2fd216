import { buildTool, descriptionOf } from '../../src/contract/index.ts';
import { MAX_RESULT_CHARS, type CommandEnd } from '../../src/shell/session-command/ended-command.ts';
import { CALL_TIMEOUT_MS } from '../../src/shell/session-command/input.ts';
import { commandViews, endingOfCommand } from '../../src/shell/session-command/views.ts';
import { adoptPowerShell } from './adopt.ts';
import { checkRemoval, powerShellInput, validatePowerShell } from './input.ts';
import { runPowerShell, type PowerShellProgress } from './run.ts';

// Nobody here reads the language, so that no call is known to only read, or to be fit to run beside others.
export default buildTool<typeof powerShellInput, CommandEnd, PowerShellProgress>({
  name: 'PowerShell',
  searchHint: 'run a PowerShell command or script',
  inputSchema: powerShellInput,
  description: descriptionOf(import.meta.url),
  hints: { destructive: true },
  validateInput: validatePowerShell,
  checkPermissions: checkRemoval,
  permissionSubjects: ({ command }) => [{ kind: 'other', text: command.trim(), code: true }],
  toAutoClassifierInput: ({ command }) => command,
  call: runPowerShell,
  probe: adoptPowerShell,
  maxResultChars: MAX_RESULT_CHARS,
  timeoutMs: CALL_TIMEOUT_MS,
  abortsSiblings: true,
  ...commandViews({ name: 'PowerShell', prompt: 'PS>', endingOf: endingOfCommand }),
});
