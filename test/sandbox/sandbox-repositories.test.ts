// What the rules hold of a repository, in a real sandbox with a real git: its settings stay, and work in it goes on.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { heldPaths } from '../../src/permissions/paths/held-paths.ts';
import { findRepositories } from '../../src/permissions/repositories.ts';
import { commands, type Commands } from './commands.ts';

const exec = promisify(execFile);
const NO_SETTINGS = { PATH: '/usr/bin:/bin', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };

interface Project extends Commands {
  /** As somebody does it who sits at the machine. */
  readonly git: (line: string, directory?: string) => Promise<string>;
  /** Asserts that a line ends well. */
  readonly works: (line: string) => Promise<string>;
}

async function project(t: TestContext): Promise<Project> {
  const readOnly: string[] = [];
  const made = await commands(t, { sandbox: () => ({ readOnly }) });
  const { directory, run } = made;
  const git = async (line: string, at = directory): Promise<string> =>
    (await exec('git', line.split(' '), { cwd: at, env: { ...NO_SETTINGS, HOME: made.home } })).stdout;
  for (const at of [directory, join(directory, 'packages/inner')]) {
    await mkdir(at, { recursive: true });
    await writeFile(join(at, 'file'), 'text\n');
    for (const line of ['init -q -b main', 'config user.name x', 'config user.email x@example.com', 'add file', 'commit -q -m first'])
      await git(line, at);
  }
  await git('config extensions.worktreeConfig true', join(directory, 'packages/inner'));
  readOnly.push(...(await heldPaths([directory], await findRepositories([directory]))));
  return {
    ...made,
    git,
    async works(line) {
      const { exitCode, output } = await run(line);
      assert.equal(exitCode, 0, `${line}: ${output}`);
      return output;
    },
  };
}

describe('a repository in the sandbox', () => {
  test('cannot be made to run something for whoever uses git in it later', async (t) => {
    const { run, git, directory } = await project(t);
    const evil = `printf '[core]\\n\\tfsmonitor = touch %s/run\\n' "$PWD"`;
    for (const at of ['.git', 'packages/inner/.git']) {
      const lines = [
        `cp -r ${at} evil; ${evil} >> evil/config; echo "$PWD/evil" > ${at}/commondir`,
        `rm -rf ${at}/commondir; mv evil/config ${at}/commondir; ln -sf "$PWD/evil" ${at}/commondir`,
        `${evil} > ${at}/config.worktree; git config extensions.worktreeConfig true; ${evil} >> ${at}/config`,
        `mv ${at} ${at}.old; cp -r evil ${at}; ${evil} >> ${at}/config; mv -f ${at}.old/commondir ${at}`,
        `mkdir ${at}/hooks; echo 'touch run' > ${at}/hooks/pre-commit`,
        `rm -rf ${at}; echo "gitdir: $PWD/evil" > ${at}`,
      ];
      for (const line of lines) {
        await run(line);
        // One that the session has destroyed runs nothing either.
        for (const place of [directory, join(directory, 'packages/inner')]) await git('status --short', place).catch(() => 'destroyed');
        assert.ok(!existsSync(join(directory, 'run')), line);
      }
      for (const name of ['commondir', 'config.worktree']) assert.ok(!existsSync(join(directory, at, name)), `${at}/${name}`);
    }
  });

  test('is worked in as anywhere', async (t) => {
    const { works, git, directory } = await project(t);
    const lines = [
      'echo more >> file && git commit -qam second',
      'git checkout -qb topic && echo topic > topic && git add topic && git commit -qm topic',
      'git checkout -q main && git merge -q --no-edit topic && git branch -q -d topic',
      'git tag v1 && git stash list && git log --oneline && git status',
      'echo x >> file && git stash -q && git stash pop -q && git checkout -q -- file',
      'git rebase -q HEAD~1 && git reset -q --hard HEAD && git gc -q && git fsck',
      'git clone -q . copy && git -C copy log --oneline && rm -rf copy',
      'git init -q fresh && git -C fresh config a.b c && rm -rf fresh',
      'cd packages/inner && echo x >> file && git commit -qam inner',
      'git rev-parse --git-common-dir --show-toplevel && git worktree list',
      'git worktree add -q other && git -C other log --oneline && git worktree remove other',
    ];
    for (const line of lines) await works(line);
    assert.equal(await works('git status --short'), await git('status --short'), 'what holds the missing files is no change');
    assert.deepEqual(
      (await readdir(directory)).filter((name) => name.startsWith('.')),
      ['.git'],
      'nothing of it is left',
    );
    assert.doesNotMatch((await readdir(join(directory, '.git'))).join(' '), /commondir|worktree\b/);
  });

  test('that somebody gives another place meanwhile keeps it', async (t) => {
    const { works, directory } = await project(t);
    await writeFile(join(directory, '.git/commondir'), '../.git\n');
    await works('git status');
    assert.equal(await readFile(join(directory, '.git/commondir'), 'utf8'), '../.git\n');
  });
});
