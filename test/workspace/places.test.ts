import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, realpath, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { Problem } from '../../src/contract/index.ts';
import { createPlaces, removePlaceUnder } from '../../src/workspace/places.ts';

/** One root with a directory `project`, beside a directory that is under no root. */
async function world(t: TestContext) {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'toolexec-places-')));
  t.after(() => rm(base, { recursive: true, force: true }));
  const [root, outside, dataDir] = [join(base, 'root'), join(base, 'outside'), join(base, 'data')];
  await mkdir(join(root, 'project'), { recursive: true });
  await mkdir(join(outside, 'there'), { recursive: true });
  const place = createPlaces({ dataDir, roots: [root, join(base, 'no such root')] });
  return {
    root,
    outside,
    dataDir,
    open: (path: string | undefined, ...additionalDirs: string[]) => place({ id: 'ses_1', path, additionalDirs }),
  };
}

async function problemOf(promise: Promise<unknown>): Promise<Problem> {
  const error = await promise.then(
    () => assert.fail('it was not refused'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Problem, String(error));
  return error;
}

describe('the place of a session', () => {
  test('of its own is private and goes with it', async (t) => {
    const { open, dataDir } = await world(t);
    const place = await open(undefined);
    assert.equal(place.ephemeral, true);
    assert.equal((await stat(place.workspace)).mode & 0o777, 0o700);
    await removePlaceUnder(dataDir)('ses_1');
    await assert.rejects(stat(place.workspace), { code: 'ENOENT' });
  });

  test('is removed with all that its commands have left, however deep, closed or oddly named', async (t) => {
    const { open, dataDir } = await world(t);
    const { workspace } = await open(undefined);
    const name = 'n'.repeat(100);
    const line = String.raw`mkdir -p closed/below && touch closed/below/f $'\xff' && chmod 000 closed/below closed
      mkdir top && cd top && for i in {1..60}; do mkdir ${name} && cd ${name} && touch f; done`;
    execFileSync('bash', ['-c', line], { cwd: workspace });
    await removePlaceUnder(dataDir)('ses_1');
    assert.deepEqual(await readdir(join(dataDir, 'sessions')), []);
    await removePlaceUnder(dataDir)('ses_1');
  });

  test('that was replaced by a link is removed alone, not what the link leads to', async (t) => {
    const { outside, dataDir } = await world(t);
    await mkdir(join(dataDir, 'sessions'), { recursive: true });
    await symlink(outside, join(dataDir, 'sessions/ses_1'));
    await removePlaceUnder(dataDir)('ses_1');
    assert.deepEqual([await readdir(join(dataDir, 'sessions')), await readdir(outside)], [[], ['there']]);
  });

  test('can keep outputs at once, for its owner alone, and again when it is opened again', async (t) => {
    const { open } = await world(t);
    const { outputs } = await open(undefined);
    const path = outputs.pathFor('turn_1', 0);
    assert.equal(await outputs.write(path, 'é'), 2);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    const again = await open(undefined);
    assert.equal(await again.outputs.write(again.outputs.pathFor('turn_1', 1), 'more'), 4);
  });

  test('of its own is refused when a link has been put in the place of its workspace or outputs', async (t) => {
    for (const name of ['workspace', 'outputs']) {
      const { open, dataDir, outside } = await world(t);
      const { outputs } = await open(undefined);
      const own = join(dataDir, 'sessions/ses_1', name);
      await rename(own, `${own}-before`);
      await symlink(outside, own);
      const problem = await problemOf(open(undefined));
      assert.deepEqual([problem.code, problem.message.includes(name)], ['forbidden', true]);
      if (name === 'outputs') await assert.rejects(outputs.write(outputs.pathFor('turn_1', 0), 'text'));
      assert.deepEqual(await readdir(outside), ['there']);
    }
  });

  test('tells which directories may be read and written, all by their real paths', async (t) => {
    const { open, root, outside } = await world(t);
    await mkdir(join(root, 'shared'));
    await symlink('shared', join(root, 'link'));
    const { workspace, writableRoots, readableRoots, outputs } = await open(`${root}/project/`, join(root, 'link'));
    assert.equal(workspace, join(root, 'project'));
    assert.deepEqual(writableRoots, [workspace, join(root, 'shared')]);
    assert.deepEqual(readableRoots.slice(0, 2), writableRoots);
    assert.ok(outputs.pathFor('turn_1', 0).startsWith(`${readableRoots[2]}/`));
    assert.ok(!readableRoots.includes(outside));
  });
});

describe('a directory that a session asks for', () => {
  test('and that is missing under a root is said not to exist, by the name of the option', async (t) => {
    const { open, root } = await world(t);
    const missing = await problemOf(open(join(root, 'new/project')));
    assert.equal(missing.code, 'invalid-request');
    assert.match(missing.message, /^workspace\.path does not exist/);
    const additional = await problemOf(open(undefined, root, join(root, 'new')));
    assert.match(additional.message, /^permissions\.additional_dirs\[1\] does not exist/);
    assert.deepEqual(
      additional.issues.map(({ path }) => path),
      ['permissions.additional_dirs[1]'],
    );
  });

  test('and that is a file, or no absolute path, is refused with the reason', async (t) => {
    const { open, root } = await world(t);
    await writeFile(join(root, 'file'), '');
    assert.match((await problemOf(open(join(root, 'file')))).message, /is not a directory/);
    assert.match((await problemOf(open(join(root, 'file/below')))).message, /does not exist/);
    for (const path of ['project', './project', `${root}/a\0b`]) {
      assert.match((await problemOf(open(path))).message, /must be an absolute path/);
    }
  });

  test('outside of the roots is refused alike whether it is there or not, also behind links', async (t) => {
    const { open, root, outside } = await world(t);
    await symlink(outside, join(root, 'link'));
    await symlink(join(outside, 'missing'), join(root, 'dangling'));
    const paths = [
      join(outside, 'there'),
      join(outside, 'missing'),
      join(root, 'link/there'),
      join(root, 'link/missing'),
      join(root, 'dangling'),
      `${root}/project/../../outside/there`,
      `${root}-beside`,
    ];
    const problems = await Promise.all(paths.map((path) => problemOf(open(path))));
    assert.deepEqual(new Set(problems.map(({ code }) => code)), new Set(['forbidden']));
    assert.equal(new Set(problems.map(({ message }) => message)).size, 1);
  });
});
