import { readFileSync } from 'node:fs';
import { buildTool, textOf, type ViewBody } from '../../src/contract/index.ts';
import { checkRemoval, MAX_TIMEOUT_MS, powerShellInput, validatePowerShell, type PowerShellInput } from './input.ts';
import { MAX_RESULT_CHARS, runPowerShell, type PowerShellOutput, type PowerShellProgress } from './run.ts';

const DESCRIPTION = readFileSync(new URL('./description.md', import.meta.url), 'utf8').trim();

// Nobody here reads the language, so that no call is known to only read, or to be fit to run beside others.
export default buildTool<typeof powerShellInput, PowerShellOutput, PowerShellProgress>({
  name: 'PowerShell',
  searchHint: 'run a PowerShell command or script',
  inputSchema: powerShellInput,
  description: () => DESCRIPTION,
  userFacingName: (input) => (input ? titleOf(input) : 'PowerShell'),
  hints: { destructive: true },
  validateInput: validatePowerShell,
  checkPermissions: checkRemoval,
  permissionSubjects: ({ command }) => [{ kind: 'other', text: command.trim(), code: true }],
  toAutoClassifierInput: ({ command }) => command,
  call: runPowerShell,
  maxResultChars: MAX_RESULT_CHARS,
  // Above the longest timeout and the time to end: the tool itself ends it and keeps what was printed.
  timeoutMs: MAX_TIMEOUT_MS + 30_000,
  abortsSiblings: true,
  renderUse: (input) => ({ title: titleOf(input), body: terminal(`PS> ${input.command}`) }),
  renderProgress: ({ text }) => ({ title: 'PowerShell', body: terminal(text) }),
  renderResult: (input, { content, output }) => ({
    title: titleOf(input),
    ...(output !== undefined && { subtitle: endingOf(output) }),
    body: terminal(textOf(content)),
  }),
  renderGroup: (inputs) => ({
    title: 'PowerShell',
    subtitle: `${inputs.length} commands`,
    body: { kind: 'list', items: inputs.map(({ command }) => command) },
  }),
});

function titleOf({ description, command }: PowerShellInput): string {
  return description ?? `PowerShell ${command.trim().split('\n', 1)[0] ?? ''}`;
}

function endingOf({ exitCode, signal, stopped }: PowerShellOutput): string {
  if (stopped !== null) return stopped.replace('_', ' ');
  return exitCode === null ? `signal ${signal ?? 'unknown'}` : `exit code ${exitCode}`;
}

function terminal(text: string): ViewBody {
  return { kind: 'terminal', text };
}
