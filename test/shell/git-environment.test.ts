import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { READ_ONLY_GIT_ENVIRONMENT } from '../../src/shell/git-environment.ts';

const run = promisify(execFile);

/** A repository with one commit, whose configuration makes git run a program in commands that only read. */
async function hostileRepository(t: TestContext) {
  const directory = await mkdtemp(join(tmpdir(), 'toolexec-git-'));
  t.after(() => rm(directory, { recursive: true, force: true }));
  const env = { PATH: process.env['PATH'] ?? '', HOME: directory };
  const git = (args: string[], more: Readonly<Record<string, string>> = {}) =>
    run('git', args, { cwd: directory, env: { ...env, ...more } });
  await git(['init', '-q']);
  await writeFile(join(directory, 'a.txt'), 'one\n');
  await git(['add', '.']);
  await git(['-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-qm', 'first']);
  const ran = join(directory, 'ran');
  const evil = join(directory, '.git', 'evil');
  await writeFile(evil, `#!/bin/sh\ntouch ${ran}\n`);
  await chmod(evil, 0o755);
  await appendFile(
    join(directory, '.git', 'config'),
    `[core]\n\tfsmonitor = ${evil}\n\thooksPath = ${join(directory, '.git')}\n\tpager = ${evil}\n`,
  );
  return { directory, git, ran };
}

test("a repository's own settings run nothing in commands that only read", async (t) => {
  const { git, ran } = await hostileRepository(t);
  for (const args of [['status'], ['diff'], ['log', '-1'], ['show', 'HEAD']]) await git(args, READ_ONLY_GIT_ENVIRONMENT);
  assert.equal(existsSync(ran), false);
  await git(['status']);
  assert.equal(existsSync(ran), true, 'without the environment the settings do run something');
});

test('git diff and git status do not rewrite the index', async (t) => {
  const { directory, git } = await hostileRepository(t);
  const index = join(directory, '.git', 'index');
  const before = await readFile(index);
  // The same content with another time makes git want to refresh what it knows of the file.
  await writeFile(join(directory, 'a.txt'), 'one\n');
  await git(['status'], READ_ONLY_GIT_ENVIRONMENT);
  await git(['diff'], READ_ONLY_GIT_ENVIRONMENT);
  assert.ok(before.equals(await readFile(index)));
});

test('signatures are checked by no program that the repository names', async (t) => {
  const { directory, git, ran } = await hostileRepository(t);
  for (const key of ['gpg.program', 'gpg.openpgp.program', 'gpg.x509.program', 'gpg.ssh.program']) await git(['config', key, '.git/evil']);
  // Without this git gives up before it checks a signature of SSH.
  await git(['config', 'gpg.ssh.allowedSignersFile', 'a.txt']);
  const check = (id: string, env = {}) =>
    git(['log', '-1', '--format=%G?', id], env).catch(() => {
      // The program may have ended before git has written to it, of which git dies.
    });
  for (const kind of ['SIGNED MESSAGE', 'PGP SIGNATURE', 'SSH SIGNATURE']) {
    const { stdout: commit } = await git(['cat-file', 'commit', 'HEAD']);
    await writeFile(join(directory, 'commit'), commit.replace('\n\n', `\ngpgsig -----BEGIN ${kind}-----\n x\n -----END ${kind}-----\n\n`));
    const { stdout: id } = await git(['hash-object', '-t', 'commit', '-w', 'commit']);
    await rm(ran, { force: true });
    await check(id.trim());
    assert.equal(existsSync(ran), true, `without the environment ${kind} is checked by what the repository names`);
    await rm(ran);
    await check(id.trim(), READ_ONLY_GIT_ENVIRONMENT);
    assert.equal(existsSync(ran), false, kind);
  }
});

test('submodules are not looked into', async (t) => {
  const { directory, git, ran } = await hostileRepository(t);
  const inner = join(directory, 'sub');
  await run('cp', ['-r', join(directory, '.git'), join(directory, 'copy')]);
  await git(['config', '--unset', 'core.fsmonitor']);
  await run('git', ['init', '-q', inner]);
  await run('cp', ['-r', `${join(directory, 'copy')}/.`, join(inner, '.git')]);
  const { stdout: id } = await git(['rev-parse', 'HEAD']);
  await git(['update-index', '--add', '--cacheinfo', `160000,${id.trim()},sub`]);
  await rm(ran, { force: true });
  await git(['status'], READ_ONLY_GIT_ENVIRONMENT);
  await git(['diff'], READ_ONLY_GIT_ENVIRONMENT);
  assert.equal(existsSync(ran), false);
  await git(['status']);
  assert.equal(existsSync(ran), true, 'without the environment git works there by its own settings');
});
