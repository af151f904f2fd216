// Worktrees under the real service, where git runs in the sandbox and where it does not.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { call, resultsOf, startServer, type Json, type TestServer } from '../support/server.ts';
import { withConfigFile } from './config-file.ts';

const NO_SETTINGS = { PATH: '/usr/bin:/bin', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };

async function serverWith(t: TestContext, sandbox: 'required' | 'off'): Promise<TestServer> {
  const config = await withConfigFile(t, { tools: { include: ['Bash', 'Write', 'EnterWorktree', 'ExitWorktree'] } });
  return startServer(t, { env: { ...config, TOOLEXEC_SANDBOX: sandbox } });
}

interface Project {
  readonly workspace: string;
  readonly session: string;
  readonly git: (...args: string[]) => string;
  /** The result of one call. */
  readonly run: (name: string, input: Json) => Promise<string>;
  readonly cwd: () => Promise<string>;
}

let projects = 0;

async function project(server: TestServer, permissions: Json): Promise<Project> {
  const workspace = join(server.root, `project ${(projects += 1)}`);
  await mkdir(workspace);
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: workspace, env: NO_SETTINGS, encoding: 'utf8', stdio: 'pipe' });
  git('init', '-q', '-b', 'main');
  for (const name of ['name', 'email']) git('config', `user.${name}`, 'somebody@localhost');
  await writeFile(join(workspace, 'file'), 'text\n');
  git('add', 'file');
  git('commit', '-q', '-m', 'first');
  const session = await server.session({ workspace: { path: workspace }, permissions });
  let calls = 0;
  return {
    workspace,
    session,
    git,
    async run(name, input) {
      const { body } = await server.post(session, [call(`c${(calls += 1)}`, name, input)]);
      return resultsOf(body)[0]?.replace(/^c\d+: /, '') ?? JSON.stringify(body);
    },
    cwd: async () => (await server.request('GET', `/v1/sessions/${session}`)).body['cwd'] as string,
  };
}

for (const sandbox of ['required', 'off'] as const) {
  test(`a worktree ${sandbox === 'off' ? 'without a sandbox' : 'in the sandbox'}`, async (t) => {
    const server = await serverWith(t, sandbox);
    await t.test('is worked in, kept, and removed when its work is elsewhere', async () => {
      const { workspace, git, run, cwd } = await project(server, { mode: 'bypassPermissions' });
      const tree = join(workspace, '.worktrees/topic');
      assert.match(await run('EnterWorktree', { name: 'topic' }), /^Made the worktree /);
      assert.equal(await cwd(), tree);
      assert.match(await run('Bash', { command: 'pwd; cat file' }), /\.worktrees\/topic\ntext$/);
      assert.match(await run('Write', { file_path: 'new', content: 'x' }), /new/);
      assert.ok(existsSync(join(tree, 'new')) && !existsSync(join(workspace, 'new')));
      assert.match(await run('ExitWorktree', { action: 'remove' }), /changes that are not committed: \?\? new/);
      assert.equal(await cwd(), tree);
      assert.equal(await run('Bash', { command: 'git add new && git commit -q -m second && echo done' }), 'done');
      assert.match(await run('ExitWorktree', { action: 'remove' }), /commits that are nowhere else: \w+ second/);
      git('merge', '-q', 'worktree-topic');
      assert.match(await run('ExitWorktree', { action: 'remove' }), /are removed\.$/);
      assert.equal(await cwd(), workspace);
      assert.ok(!existsSync(tree));
      assert.equal(git('branch', '--list', 'worktree-*'), '');
    });

    await t.test('never leads the session out of its workspace', async () => {
      const { workspace, run, cwd } = await project(server, { mode: 'bypassPermissions' });
      await mkdir(join(server.root, 'outside'), { recursive: true });
      await run('Bash', { command: `ln -s '${join(server.root, 'outside')}' .worktrees` });
      assert.match(await run('EnterWorktree', { name: 'a' }), /\.worktrees is outside of the workspace/);
      assert.equal(await cwd(), workspace);
      assert.ok(!existsSync(join(server.root, 'outside/a')));
    });

    await t.test('is judged as the line of git that makes it', async () => {
      const denied = await project(server, { mode: 'bypassPermissions', deny: ['Bash(git worktree:*)'] });
      assert.match(await denied.run('EnterWorktree', { name: 'a' }), /The rule Bash\(git worktree:\*\) denies it/);
      const asked = await project(server, { mode: 'default', ask_timeout_ms: 0, ask: ['Bash(git worktree:*)'] });
      assert.match(await asked.run('EnterWorktree', { name: 'a' }), /wants it to be asked for/);
      const allowed = await project(server, { mode: 'default', ask_timeout_ms: 0, allow: ['Bash(git worktree:*)', 'Bash(git branch:*)'] });
      assert.match(await allowed.run('EnterWorktree', { name: 'a' }), /^Made the worktree /);
      assert.match(await allowed.run('ExitWorktree', { action: 'remove' }), /are removed\.$/);
      assert.equal(await allowed.cwd(), allowed.workspace);
    });
  });
}
