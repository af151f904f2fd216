import { dirname } from 'node:path';
import { z } from 'zod';
import {
  buildTool,
  descriptionOf,
  FileError,
  type CallContext,
  type PermissionContext,
  type ToolResult,
} from '../../src/contract/index.ts';
import { currentWorktree, inWorkspace, quoted, runLine, WORKTREE_NAME, worktreeOf, type Worktree } from '../../src/shell/worktrees.ts';

const inputSchema = z.strictObject({
  name: z
    .string()
    .regex(WORKTREE_NAME, { error: 'must have 1 to 64 small letters, digits, dots, hyphens and underscores, the first a letter or digit' })
    .optional()
    .describe('Name of the new worktree, such as fix-login.'),
});
type EnterInput = z.output<typeof inputSchema>;

export default buildTool<typeof inputSchema, Worktree>({
  name: 'EnterWorktree',
  searchHint: 'make a git worktree, work on a branch apart',
  inputSchema,
  description: descriptionOf(import.meta.url),
  shouldDefer: true,
  // Git takes neither of them into the name of a branch.
  validateInput: ({ name = '' }) =>
    name.includes('..') || /\.(lock)?$/.test(name)
      ? { ok: false, message: 'name must not hold .. and not end with . or .lock.' }
      : { ok: true },
  checkPermissions: () => ({ behavior: 'passthrough' }),
  permissionSubjects: (input, context) => [{ kind: 'command', command: lineFor(wanted(input, context), context) }],
  toAutoClassifierInput: ({ name = '' }) => `git worktree add ${name}`,
  call: enter,
  renderUse: ({ name }) => ({ title: titleOf(name) }),
  renderResult: ({ name }, { output }) => ({
    title: titleOf(name ?? output?.name),
    ...(output !== undefined && { subtitle: output.path }),
  }),
  renderGroup: (inputs) => ({ title: 'Enter worktrees', body: { kind: 'list', items: inputs.map(({ name }) => titleOf(name)) } }),
});

function titleOf(name: string | undefined): string {
  return `Enter worktree ${name ?? ''}`.trim();
}

/** Without a name always the same one, so that what is judged is what runs. */
function wanted({ name }: EnterInput, { sessionId, workspace }: PermissionContext): Worktree {
  return worktreeOf(
    name ??
      `session-${sessionId
        .toLowerCase()
        .replace(/[^a-z0-9]/g, '')
        .slice(-8)}`,
    workspace,
  );
}

function lineFor({ branch, path }: Worktree, context: PermissionContext): string {
  return inWorkspace(`git worktree add -b ${branch} ${quoted(path)}`, context);
}

async function enter(input: EnterInput, context: CallContext): Promise<ToolResult<Worktree>> {
  const current = currentWorktree(context);
  if (current !== null) throw new Error(`The session is in the worktree ${current.name} already: leave it with ExitWorktree first.`);
  const worktree = wanted(input, context);
  await assertNoLink(dirname(worktree.path), context);
  await assertFree(worktree, context);
  const { ok, output } = await runLine(lineFor(worktree, context), context);
  if (!ok) throw new Error(faultOf(output, worktree));
  const { path, kind } = await context.files.confine(worktree.path);
  if (path !== worktree.path || kind !== 'directory') throw new Error(`${worktree.path} leads elsewhere: remove the link, and try again.`);
  return {
    content: `Made the worktree ${path} on the new branch ${worktree.branch}. It is the working directory now; ExitWorktree leads back.`,
    output: worktree,
    contextModifier: (state) => ({ ...state, cwd: path }),
  };
}

/** Git would make the worktree wherever a link leads. */
async function assertNoLink(directory: string, { files }: CallContext): Promise<void> {
  const real = await files.confine(directory).catch(nullIfMissing);
  if (real !== null && real.path !== directory) throw new Error(`${directory} is a link to another place: remove it first.`);
}

/** Git would make the branch before it sees that the place is taken. */
async function assertFree({ path }: Worktree, { files }: CallContext): Promise<void> {
  if ((await files.confine(path).catch(nullIfMissing)) !== null) throw new Error(takenFault(path));
}

function nullIfMissing(error: unknown): null {
  if (error instanceof FileError && error.code === 'not_found') return null;
  throw error;
}

function takenFault(path: string): string {
  return `There is something at ${path} already: choose another name.`;
}

function faultOf(output: string, { branch, path }: Worktree): string {
  if (/not a git repository/.test(output))
    return 'The workspace is no git repository: work without a worktree, or begin one with git init and a first commit.';
  if (/not a valid object name|invalid reference/.test(output))
    return 'The repository has no commit yet: make a first one, which the worktree can start from.';
  if (/a branch named/.test(output)) return `There is a branch ${branch} already: choose another name.`;
  if (/already exists|already registered/.test(output)) return takenFault(path);
  return `Git could not make the worktree: ${output || 'it did not say why.'}`;
}
