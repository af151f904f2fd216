// A session's workspace as its owner sees it: files in and out, whole or not at all, and nothing from outside.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFile, chmod, link, mkdir, readdir, readFile, stat, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { FileError, Problem } from '../../src/contract/index.ts';
import { CONTENT_BYTES } from '../../src/workspace/tree/etag.ts';
import { allOf, bodyOf, contentOf, temporaryTree } from './support/temporary-tree.ts';
import { refusalOf } from './support/refusal.ts';
import { assertRefused } from './support/temporary-workspace.ts';

async function etagOf({ tree }: Awaited<ReturnType<typeof temporaryTree>>, path: string): Promise<string> {
  await using file = await tree.open(path);
  return file.etag;
}

const refuses =
  (...codes: string[]) =>
  (error: unknown) =>
    (error instanceof Problem || error instanceof FileError) && codes.includes(error.code);

describe('a file that is put', () => {
  test('gets its parents, keeps the mode of the one before, and never a set-user-id bit', async (t) => {
    const { tree, workspace } = await temporaryTree(t);
    const { created, size } = await tree.put('a/b/c.sh', { body: bodyOf('one', 'two') });
    assert.deepEqual([created, size, await contentOf(tree, 'a/b/c.sh')], [true, 6, 'onetwo']);
    await chmod(join(workspace, 'a/b/c.sh'), 0o4750);
    assert.equal((await tree.put('a/b/c.sh', { body: bodyOf('new') })).created, false);
    assert.equal((await stat(join(workspace, 'a/b/c.sh'))).mode & 0o7777, 0o750);
  });

  test('and breaks off leaves nothing: no part of it, no parents, and the file before as it was', async (t) => {
    const { tree, workspace } = await temporaryTree(t);
    await tree.put('kept', { body: bodyOf('before') });
    const broken = () => bodyOf('part', new Problem('invalid-request', 'broke off'));
    for (const path of ['kept', 'new/deep/file']) await assert.rejects(tree.put(path, { body: broken() }), refuses('invalid-request'));
    assert.deepEqual(await readdir(workspace, { recursive: true }), ['kept']);
    assert.equal(await contentOf(tree, 'kept'), 'before');
  });

  test('leaves directories alone that somebody else has used meanwhile', async (t) => {
    const { tree, workspace } = await temporaryTree(t);
    async function* body() {
      yield Buffer.from('part');
      await writeFile(join(workspace, 'a/beside'), '');
      throw new Problem('invalid-request', 'broke off');
    }
    await assert.rejects(tree.put('a/b/file', { body: body() }), refuses('invalid-request'));
    assert.deepEqual((await readdir(workspace, { recursive: true })).toSorted(), ['a', 'a/beside']);
  });

  test('goes where a link inside leads, and nowhere over one that leads out', async (t) => {
    const { tree, workspace, outside, assertOutsideUntouched } = await temporaryTree(t);
    await mkdir(join(workspace, 'real'));
    await symlink('real', join(workspace, 'in'));
    await symlink(outside, join(workspace, 'out'));
    await symlink(join(outside, 'canary.txt'), join(workspace, 'canary'));
    await symlink(join(outside, 'new'), join(workspace, 'dangling'));
    await tree.put('in/file', { body: bodyOf('x') });
    assert.equal(await readFile(join(workspace, 'real/file'), 'utf8'), 'x');
    for (const path of ['out/new', 'out/below/canary.txt', 'canary', 'dangling', '../w2/new', '/etc/new']) {
      await assertRefused(tree.put(path, { body: bodyOf('x') }), 'outside');
      await assertRefused(tree.look(path), 'outside');
      await assertRefused(tree.open(path), 'outside');
    }
    await assertRefused(tree.list('out', { limit: 10 }), 'outside');
    await assertOutsideUntouched();
  });

  test('never takes the place of a directory, a pipe or what lies below a file', async (t) => {
    const { tree, workspace } = await temporaryTree(t);
    await tree.put('file', { body: bodyOf('x') });
    await mkdir(join(workspace, 'directory'));
    execFileSync('mkfifo', [join(workspace, 'pipe')]);
    for (const path of ['', 'directory', 'pipe', 'file/below', 'file/below/deeper']) {
      await assertRefused(tree.put(path, { body: bodyOf('x') }), 'not_a_file');
    }
    assert.deepEqual((await readdir(workspace)).toSorted(), ['directory', 'file', 'pipe']);
  });

  test('whose directory is moved away meanwhile is not written elsewhere', async (t) => {
    const { tree, workspace, outside, assertOutsideUntouched } = await temporaryTree(t);
    await mkdir(join(workspace, 'd'));
    async function* body() {
      yield Buffer.from('part');
      execFileSync('mv', [join(workspace, 'd'), join(outside, 'd')]);
      yield Buffer.from('rest');
    }
    await assertRefused(tree.put('d/file', { body: body() }), 'changed');
    execFileSync('rmdir', [join(outside, 'd')]);
    await assertOutsideUntouched();
  });

  test('is judged again at the last moment, also when it was not there before', async (t) => {
    const { tree, workspace } = await temporaryTree(t);
    const onlyNew = (etag: string | null): void => {
      if (etag !== null) throw new Problem('precondition-failed', 'there is one');
    };
    async function* body() {
      yield Buffer.from('mine');
      await writeFile(join(workspace, 'file'), 'theirs');
    }
    await assert.rejects(tree.put('file', { body: body(), precondition: onlyNew }), refuses('precondition-failed'));
    assert.equal(await contentOf(tree, 'file'), 'theirs');
    assert.deepEqual(await readdir(workspace), ['file']);
  });
});

describe('a validator', () => {
  test('is that of the content for small files, and the same in every reply', async (t) => {
    const place = await temporaryTree(t);
    const { etag } = await place.tree.put('a', { body: bodyOf('same') });
    assert.equal((await place.tree.put('b', { body: bodyOf('same') })).etag, etag);
    assert.equal(await etagOf(place, 'a'), etag);
    assert.notEqual((await place.tree.put('a', { body: bodyOf('else') })).etag, etag);
  });

  test('of a large file changes with each write, also one in place that hides its time', async (t) => {
    const place = await temporaryTree(t);
    const large = Buffer.alloc(CONTENT_BYTES + 1, 'x');
    const first = await place.tree.put('a', { body: bodyOf(large) });
    assert.equal(await etagOf(place, 'a'), first.etag);
    const again = await place.tree.put('a', { body: bodyOf(large) });
    assert.notEqual(again.etag, first.etag);
    const path = join(place.workspace, 'a');
    const { atime, mtime } = await stat(path);
    await appendFile(path, 'y');
    await truncate(path, large.length);
    await utimes(path, atime, mtime);
    assert.notEqual(await etagOf(place, 'a'), again.etag);
  });
});

test('a file that becomes shorter while it is read ends with an error, never as if that were all', async (t) => {
  const { tree, workspace } = await temporaryTree(t);
  await tree.put('log', { body: bodyOf(Buffer.alloc(400_000, 'x')) });
  await using file = await tree.open('log');
  const parts = file.read()[Symbol.asyncIterator]();
  await parts.next();
  await truncate(join(workspace, 'log'), 200_000);
  await assertRefused(
    (async () => {
      while ((await parts.next()).done !== true);
    })(),
    'changed',
  );
});

describe('a directory', () => {
  test('lists in the order of code points, page by page, whatever its names', async (t) => {
    const { tree, workspace } = await temporaryTree(t);
    const names = ['!', 'A', 'a b', 'é', '\u{ffee}', '\u{1f600}', 'z\n', ...Array.from({ length: 40 }, (_, n) => `n${n}`)];
    for (const name of names) await writeFile(join(workspace, name), name);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await tree.list('', { limit: 6, cursor });
      seen.push(...page.entries.map(({ name }) => name));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    assert.deepEqual(
      seen,
      names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    );
  });

  test('tells what each entry is without following or waking it', async (t) => {
    const { tree, workspace, outside } = await temporaryTree(t);
    await mkdir(join(workspace, 'directory'));
    await writeFile(join(workspace, 'file'), 'abc');
    await symlink(outside, join(workspace, 'link'));
    execFileSync('mkfifo', [join(workspace, 'pipe')]);
    const { entries } = await tree.list('', { limit: 10 });
    assert.deepEqual(
      entries.map(({ name, type }) => [name, type]),
      [
        ['directory', 'directory'],
        ['file', 'file'],
        ['link', 'link'],
        ['pipe', 'other'],
      ],
    );
    assert.equal(entries[1]?.size, 3);
    await assertRefused(tree.list('file', { limit: 10 }), 'not_found', 'not_a_file');
    await assertRefused(tree.open('directory'), 'not_a_file');
    await assertRefused(tree.open('pipe'), 'not_a_file');
  });
});

describe('removing', () => {
  test('a link takes the link alone, wherever it leads', async (t) => {
    const { tree, workspace, outside, assertOutsideUntouched } = await temporaryTree(t);
    await symlink(outside, join(workspace, 'out'));
    await symlink('nowhere', join(workspace, 'dangling'));
    await tree.remove('out', { recursive: true });
    await tree.remove('dangling');
    assert.deepEqual(await readdir(workspace), []);
    await symlink(outside, join(workspace, 'out'));
    await assertRefused(tree.remove('out/canary.txt'), 'outside');
    await assertOutsideUntouched();
  });

  test('a directory takes one that is empty, or all that is in it when that is asked for, links in it not followed', async (t) => {
    const { tree, workspace, outside, assertOutsideUntouched } = await temporaryTree(t);
    await tree.put('d/below/file', { body: bodyOf('x') });
    await symlink(outside, join(workspace, 'd/below/out'));
    await assertRefused(tree.remove('d'), 'exists');
    await tree.remove('d', { recursive: true });
    await mkdir(join(workspace, 'empty'));
    await tree.remove('empty');
    assert.deepEqual(await readdir(workspace), []);
    await assertOutsideUntouched();
  });

  test('a directory deeper than any path can name leaves nothing of it', async (t) => {
    const { tree, workspace } = await temporaryTree(t);
    const name = 'n'.repeat(100);
    execFileSync('bash', ['-c', `mkdir top && cd top && for i in {1..60}; do mkdir ${name} && cd ${name} && touch f; done`], {
      cwd: workspace,
    });
    await tree.remove('top', { recursive: true });
    assert.deepEqual(await readdir(workspace), []);
  });

  test('a directory leaves nothing of it whose name is no text, or that is closed', async (t) => {
    const { tree, workspace } = await temporaryTree(t);
    const line = String.raw`mkdir -p d/closed/below $'d/\xffdir/below' && touch d/closed/below/f $'d/\xff\xfe' $'d/\xffdir/below/f' && chmod 000 d/closed/below d/closed`;
    execFileSync('bash', ['-c', line], { cwd: workspace });
    await chmod(join(workspace, 'd'), 0o555);
    await tree.remove('d', { recursive: true });
    assert.deepEqual(await readdir(workspace), []);
  });

  test('the workspace itself, or what is not there, is refused', async (t) => {
    const { tree } = await temporaryTree(t);
    for (const path of ['', '.', 'a/..']) await assertRefused(tree.remove(path, { recursive: true }), 'denied');
    await assertRefused(tree.remove('missing'), 'not_found');
    await assertRefused(tree.remove('missing/below'), 'not_found');
  });

  test('stops at what the precondition says', async (t) => {
    const { tree } = await temporaryTree(t);
    const { etag } = await tree.put('a', { body: bodyOf('x') });
    const precondition = (present: string | null): void => {
      if (present !== `"other"`) throw new Problem('precondition-failed', String(present));
    };
    await assert.rejects(tree.remove('a', { precondition }), { message: etag });
    await assert.rejects(tree.remove('b', { precondition }), { message: 'null' });
    assert.equal(await contentOf(tree, 'a'), 'x');
  });
});

describe('paths', () => {
  test('that nothing can have are told as wrong requests', async (t) => {
    const { tree } = await temporaryTree(t);
    for (const path of ['a\0b', 'a\ud800', 'x'.repeat(256), 'x/'.repeat(2_500)]) {
      await assert.rejects(tree.put(path, { body: bodyOf('x') }), refuses('invalid-request'), path.slice(0, 10));
      await assert.rejects(tree.look(path), refuses('invalid-request'));
    }
  });

  test('are spoken of as the client wrote them', async (t) => {
    const { tree, workspace } = await temporaryTree(t);
    const error = await tree.open('no/such').catch((reason: unknown) => reason);
    assert.ok(error instanceof FileError && error.message.startsWith('no/such ') && !error.message.includes(workspace));
    const { message } = await refusalOf(tree.remove('../w2/canary.txt'));
    assert.ok(message.startsWith('../w2/canary.txt is outside') && !message.includes(dirname(workspace)), message);
  });
});

describe('files of the service that lie in a workspace', () => {
  test('are neither read nor changed nor packed, by their own or another name', async (t) => {
    const place = await temporaryTree(t);
    const { workspace } = place;
    const secret = join(workspace, 'config/keys');
    await mkdir(join(workspace, 'config'));
    await writeFile(secret, 'top secret');
    await link(secret, join(workspace, 'other-name'));
    await symlink('config/keys', join(workspace, 'link'));
    const { tree } = await temporaryTree(t, { workspace, secretFiles: [secret, join(workspace, 'not-yet')] });
    for (const path of ['config/keys', 'other-name', 'link']) {
      await assertRefused(tree.open(path), 'denied');
      await assertRefused(tree.put(path, { body: bodyOf('mine') }), 'denied');
    }
    await assertRefused(tree.put('not-yet', { body: bodyOf('mine') }), 'denied');
    await assertRefused(tree.remove('config/keys'), 'denied');
    await assertRefused(tree.remove('config', { recursive: true }), 'denied');
    const packed = (await allOf(tree.pack())).toString('latin1');
    assert.ok(!packed.includes('top secret'));
    assert.equal(await readFile(secret, 'utf8'), 'top secret');
  });
});
