import { z } from 'zod';
import { buildTool, descriptionOf, type CallContext, type PermissionContext, type ToolResult } from '../../src/contract/index.ts';
import { wouldBeLost } from './would-be-lost.ts';
import { currentWorktree, inWorkspace, quoted, runLine, type Worktree } from '../../src/shell/worktrees.ts';

const inputSchema = z.strictObject({
  action: z.enum(['keep', 'remove']).describe('What becomes of the worktree and its branch.'),
  discard_changes: z.boolean().optional().describe('With remove: also when work would be lost. Default: false.'),
});
type ExitInput = z.output<typeof inputSchema>;

export default buildTool<typeof inputSchema, Worktree>({
  name: 'ExitWorktree',
  searchHint: 'leave or remove a git worktree',
  inputSchema,
  description: descriptionOf(import.meta.url),
  shouldDefer: true,
  isDestructive: ({ action }) => action === 'remove',
  validateInput: ({ action, discard_changes: discard }) =>
    action === 'keep' && discard === true ? { ok: false, message: 'discard_changes goes with action remove alone.' } : { ok: true },
  checkPermissions: () => ({ behavior: 'passthrough' }),
  permissionSubjects(input, context) {
    const worktree = currentWorktree(context);
    return input.action === 'keep' || worktree === null ? [] : [{ kind: 'command', command: lineFor(worktree, input, context) }];
  },
  toAutoClassifierInput: ({ action, discard_changes: discard = false }) =>
    action === 'keep' ? '' : `git worktree remove${discard ? ' --force' : ''}, git branch -D`,
  call: exit,
  renderUse: (input) => ({ title: titleOf(input) }),
  renderResult: (input, { output }) => ({ title: titleOf(input), ...(output !== undefined && { subtitle: output.path }) }),
  renderGroup: (inputs) => ({ title: 'Exit worktrees', body: { kind: 'list', items: inputs.map(titleOf) } }),
});

function titleOf({ action, discard_changes: discard }: ExitInput): string {
  return `Exit worktree, ${action}${discard === true ? ' with all changes' : ''}`;
}

function lineFor({ branch, path }: Worktree, { discard_changes: discard = false }: ExitInput, context: PermissionContext): string {
  return inWorkspace(`git worktree remove ${discard ? '--force ' : ''}${quoted(path)} && git branch -D ${branch}`, context);
}

async function exit(input: ExitInput, context: CallContext): Promise<ToolResult<Worktree>> {
  const worktree = currentWorktree(context);
  if (worktree === null) throw new Error(`The session is in no worktree: its working directory is ${context.state.cwd}.`);
  const { workspace } = context;
  const back = { output: worktree, contextModifier: (state: typeof context.state) => ({ ...state, cwd: workspace }) };
  const there = `The working directory is ${workspace} again.`;
  if (input.action === 'keep') return { content: `${there} ${worktree.path} and the branch ${worktree.branch} are kept.`, ...back };
  if (input.discard_changes !== true) {
    const lost = await wouldBeLost(worktree, context);
    if (lost !== null) throw new Error(`${lost} Nothing was removed: ask the user, or leave with action keep.`);
  }
  const { ok, output } = await runLine(lineFor(worktree, input, context), context);
  if (ok) return { content: `${there} ${worktree.path} and the branch ${worktree.branch} are removed.`, ...back };
  if (await isThere(worktree, context)) throw new Error(`Git could not remove the worktree: ${output || 'it did not say why.'}`);
  return { content: `${there} ${worktree.path} is removed, but not the branch ${worktree.branch}: ${output}`, ...back };
}

function isThere({ path }: Worktree, { files }: CallContext): Promise<boolean> {
  return files.confine(path).then(
    () => true,
    () => false,
  );
}
