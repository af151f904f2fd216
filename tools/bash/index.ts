import { readFileSync } from 'node:fs';
import { buildTool } from '../../src/contract/index.ts';
import { changesDirectory } from '../../src/shell/commands.ts';
import { isReadOnlyCommand } from '../../src/shell/read-only.ts';
import { isDestructiveCommand } from './destructive.ts';
import { bashInput, MAX_TIMEOUT_MS, validateBash } from './input.ts';
import { MAX_RESULT_CHARS, type BashOutput } from './result.ts';
import { runBash, type BashProgress } from './run.ts';
import { titleOf, viewGroup, viewProgress, viewResult, viewUse } from './views.ts';

const DESCRIPTION = readFileSync(new URL('./description.md', import.meta.url), 'utf8').trim();

export default buildTool<typeof bashInput, BashOutput, BashProgress>({
  name: 'Bash',
  searchHint: 'run a shell command, script, program, test or build',
  inputSchema: bashInput,
  description: () => DESCRIPTION,
  userFacingName: (input) => (input ? titleOf(input) : 'Bash'),
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
  // Above the longest timeout of a command and its time to end: the tool itself ends it and keeps what was printed.
  timeoutMs: MAX_TIMEOUT_MS + 30_000,
  abortsSiblings: true,
  effect: ({ command }) => (isReadOnlyCommand(command) ? 'read' : 'once'),
  renderUse: viewUse,
  renderProgress: viewProgress,
  renderResult: viewResult,
  renderGroup: viewGroup,
});
