import { buildTool, descriptionOf } from '../../src/contract/index.ts';
import { changesDirectory } from '../../src/shell/commands.ts';
import { isReadOnlyCommand } from '../../src/shell/read-only.ts';
import { MAX_RESULT_CHARS } from '../../src/shell/session-command/ended-command.ts';
import { CALL_TIMEOUT_MS } from '../../src/shell/session-command/input.ts';
import { commandViews, endingOfCommand } from '../../src/shell/session-command/views.ts';
import { adoptBash } from './adopt.ts';
import { isDestructiveCommand } from './destructive.ts';
import { bashInput, validateBash } from './input.ts';
import type { BashOutput } from './result.ts';
import { runBash, type BashProgress } from './run.ts';

export default buildTool<typeof bashInput, BashOutput, BashProgress>({
  name: 'Bash',
  searchHint: 'run a shell command, script, program, test or build',
  inputSchema: bashInput,
  description: descriptionOf(import.meta.url),
  isReadOnly: ({ command }) => isReadOnlyCommand(command),
  // Where the next command runs would depend on which of several ends last; what runs in the background has no say in that.
  isConcurrencySafe: ({ command, run_in_background: background }) =>
    isReadOnlyCommand(command) && (background === true || !changesDirectory(command)),
  isDestructive: ({ command }) => isDestructiveCommand(command),
  validateInput: validateBash,
  // The tool has no say of its own: rules and mode decide.
  checkPermissions: () => ({ behavior: 'passthrough' }),
  permissionSubjects: ({ command }) => [{ kind: 'command', command }],
  toAutoClassifierInput: ({ command }) => command,
  call: runBash,
  maxResultChars: MAX_RESULT_CHARS,
  timeoutMs: CALL_TIMEOUT_MS,
  abortsSiblings: true,
  effect: ({ command }) => (isReadOnlyCommand(command) ? 'read' : 'once'),
  probe: adoptBash,
  ...commandViews<BashOutput>({
    name: 'Bash',
    prompt: '$',
    endingOf: (output) => ('taskId' in output ? 'in the background' : endingOfCommand(output)),
  }),
});
