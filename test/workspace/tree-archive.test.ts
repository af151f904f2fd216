// Archives: what is packed is what is there, and what is unpacked cannot be anything but files inside the workspace.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { lstat, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { extract, pack, type Header } from 'tar-stream';
import { FileError, Problem } from '../../src/contract/index.ts';
import { refusalOf } from './support/refusal.ts';
import { allOf, bodyOf, contentOf, temporaryTree } from './support/temporary-tree.ts';

type Entry = Partial<Header> & { name: string; content?: string | Buffer };

async function archive(...entries: Entry[]): Promise<Buffer> {
  const packed = pack();
  for (const { content = '', ...header } of entries) {
    if (header.type === undefined || header.type === 'file') packed.entry(header, content);
    else packed.entry(header);
  }
  packed.finalize();
  return allOf(packed as AsyncIterable<Uint8Array>);
}

async function unpackError(t: Parameters<typeof temporaryTree>[0], body: Buffer[]): Promise<string> {
  const { tree, workspace, assertOutsideUntouched } = await temporaryTree(t);
  await tree.put('before', { body: bodyOf('x') });
  const error = await tree.unpack({ body: bodyOf(...body) }).catch((reason: unknown) => reason);
  assert.ok(error instanceof Problem && error.code === 'invalid-request', String(error));
  assert.deepEqual(await readdir(workspace), ['before'], 'nothing of it was unpacked, nothing is left beside');
  await assertOutsideUntouched();
  return error.message;
}

describe('an archive with a hostile entry leaves nothing, and is told which it is:', () => {
  const hostile: [what: string, entry: Entry, reason: RegExp][] = [
    ['an absolute path', { name: '/etc/evil', content: 'x' }, /"\/etc\/evil" has an absolute path/],
    ['a path that leads out', { name: '../w2/evil', content: 'x' }, /has \.\. in its path/],
    ['a path that leads out and in', { name: 'a/../../w/evil', content: 'x' }, /has \.\. in its path/],
    ['a link that leads out', { name: 'l', type: 'symlink', linkname: '../w2' }, /may lead out/],
    ['an absolute link', { name: 'l', type: 'symlink', linkname: '/etc' }, /may lead out/],
    ['a link through another one', { name: 'd/l', type: 'symlink', linkname: 'x/../../y' }, /may lead out/],
    ['a hard link', { name: 'h', type: 'link', linkname: 'ok' }, /hard link.*--hard-dereference/],
    ['a device', { name: 'sda', type: 'block-device', devmajor: 8, devminor: 0 }, /device/],
    ['a character device', { name: 'null', type: 'character-device', devmajor: 1, devminor: 3 }, /device/],
    ['a named pipe', { name: 'pipe', type: 'fifo' }, /named pipe/],
    ['a name that is too long', { name: `d/${'x'.repeat(256)}`, content: 'x' }, /255/],
  ];
  for (const [what, entry, reason] of hostile) {
    test(what, async (t) => {
      assert.match(await unpackError(t, [await archive({ name: 'ok', content: 'fine' }, entry)]), reason);
    });
  }

  test('or that is none, breaks off, or is compressed', async (t) => {
    const good = await archive({ name: 'ok', content: Buffer.alloc(5_000, 'x') });
    assert.match(await unpackError(t, [Buffer.from('no archive at all')]), /no tar archive/);
    assert.match(await unpackError(t, [good.subarray(0, 3_000)]), /cut off/);
    assert.match(await unpackError(t, [execFileSync('gzip', ['-c'], { input: good })]), /uncompressed/);
    assert.match(await unpackError(t, []), /empty/);
    const { tree, workspace } = await temporaryTree(t);
    const broken = bodyOf(good.subarray(0, 1_024), new Problem('invalid-request', 'broke off'));
    await assert.rejects(tree.unpack({ body: broken }), { message: 'broke off' });
    assert.deepEqual(await readdir(workspace), []);
  });

  test('or more bytes than there is room for, before they are read', async (t) => {
    const { tree, workspace } = await temporaryTree(t, { limit: 1_000 });
    const large = await archive({ name: 'a', content: Buffer.alloc(600, 'x') }, { name: 'b', content: Buffer.alloc(600, 'x') });
    await assert.rejects(
      tree.unpack({ body: bodyOf(large) }),
      (error: unknown) => error instanceof Problem && error.code === 'quota-exceeded',
    );
    assert.deepEqual(await readdir(workspace), []);
    await tree.put('a', { body: bodyOf(Buffer.alloc(1_000)) });
  });
});

describe('an archive', () => {
  test('is put into place beside what is there; the last of several entries with one path counts', async (t) => {
    const { tree, workspace } = await temporaryTree(t);
    await tree.put('kept', { body: bodyOf('kept') });
    await tree.put('d/replaced', { body: bodyOf('old') });
    const body = await archive(
      { name: './', type: 'directory' },
      { name: './d/replaced', content: 'new' },
      { name: 'twice', content: 'first' },
      { name: 'deep/er/file', content: 'x' },
      { name: 'empty/', type: 'directory' },
      { name: 'twice', content: 'second' },
      { name: 'deep/link', type: 'symlink', linkname: '../d/replaced' },
    );
    assert.deepEqual(await tree.unpack({ body: bodyOf(...[...body].map((_, at) => body.subarray(at, at + 1))) }), { files: 4, bytes: 10 });
    assert.deepEqual(await Promise.all(['kept', 'd/replaced', 'twice', 'deep/link'].map((path) => contentOf(tree, path))), [
      'kept',
      'new',
      'second',
      'new',
    ]);
    assert.ok((await stat(join(workspace, 'empty'))).isDirectory());
  });

  test('gives nobody a set-user-id program, and others nothing to write', async (t) => {
    const { tree, workspace } = await temporaryTree(t);
    const body = await archive(
      { name: 'tool', mode: 0o6777, content: 'x' },
      { name: 'd/', type: 'directory', mode: 0o3777 },
      { name: 'ro', mode: 0o444, content: 'x' },
    );
    await tree.unpack({ body: bodyOf(body) });
    const modes = await Promise.all(['tool', 'd', 'ro'].map(async (name) => (await stat(join(workspace, name))).mode & 0o7777));
    assert.deepEqual(modes, [0o755, 0o755, 0o444]);
  });

  test('replaces a link instead of following it, and goes through no link that leads out', async (t) => {
    const { tree, workspace, outside, assertOutsideUntouched } = await temporaryTree(t);
    await symlink(join(outside, 'canary.txt'), join(workspace, 'link'));
    await tree.unpack({ body: bodyOf(await archive({ name: 'link', content: 'mine' })) });
    assert.ok((await lstat(join(workspace, 'link'))).isFile());
    await symlink(outside, join(workspace, 'out'));
    const isOutside = (error: unknown): boolean => error instanceof FileError && error.code === 'outside';
    await assert.rejects(tree.unpack({ body: bodyOf(await archive({ name: 'out/evil', content: 'x' })) }), isOutside);
    await assert.rejects(tree.unpack({ body: bodyOf(await archive({ name: 'out/evil/', type: 'directory' })) }), isOutside);
    await mkdir(join(workspace, 'a/b/c'), { recursive: true });
    await symlink('.', join(workspace, 'here'));
    const linked = await archive({ name: 'ok', content: 'x' }, { name: 'here/l', type: 'symlink', linkname: '../w2' });
    const error = await refusalOf(tree.unpack({ body: bodyOf(linked) }));
    assert.ok(isOutside(error));
    assert.match(error.message, /^here\/l would be a link to \.\.\/w2, .* What was unpacked before it stays\.$/);
    assert.equal(await contentOf(tree, 'ok'), 'x');
    await assertOutsideUntouched();
  });

  test('never takes the place of a directory, or of a file with a directory', async (t) => {
    const { tree, workspace } = await temporaryTree(t);
    await tree.put('d/file', { body: bodyOf('x') });
    for (const entry of [
      { name: 'd', content: 'x' },
      { name: 'd/file/below', content: 'x' },
      { name: 'd/file/', type: 'directory' as const },
    ]) {
      const conflict = (error: unknown): boolean => error instanceof FileError && error.code === 'not_a_file';
      await assert.rejects(tree.unpack({ body: bodyOf(await archive(entry)) }), conflict, entry.name);
    }
    assert.deepEqual((await readdir(workspace, { recursive: true })).toSorted(), ['d', 'd/file']);
  });

  test('of the workspace holds files, directories and links, and leaves out what cannot be read as one', async (t) => {
    const { tree, workspace } = await temporaryTree(t);
    const longName = `${'long/'.repeat(40)}${'ü'.repeat(60)}`;
    await tree.put(longName, { body: bodyOf('content') });
    await symlink('/anywhere', join(workspace, 'link'));
    execFileSync('mkfifo', [join(workspace, 'pipe')]);
    execFileSync('chmod', ['4755', join(workspace, longName)]);
    const reader = extract();
    reader.end(await allOf(tree.pack()));
    const found = new Map<string, Header>();
    for await (const entry of reader) {
      found.set(entry.header.name, entry.header);
      entry.resume();
    }
    assert.equal(found.get(longName)?.mode, 0o755);
    assert.equal(found.get('link')?.linkname, '/anywhere');
    assert.ok(!found.has('pipe') && found.has('long/'));
  });

  test('that is made while a file is being received has no part of it', async (t) => {
    const { tree, workspace } = await temporaryTree(t);
    const { tree: another } = await temporaryTree(t, { workspace });
    async function* body() {
      yield Buffer.from('part');
      packed = (await allOf(another.pack())).toString('latin1');
      yield Buffer.from('rest');
    }
    let packed = '';
    await tree.put('file', { body: body() });
    assert.ok(packed !== '' && !packed.includes('part'));
  });

  test('that nobody reads to its end stops being made', async (t) => {
    const { tree, workspace } = await temporaryTree(t);
    for (let n = 0; n < 20; n += 1) await writeFile(join(workspace, `f${n}`), Buffer.alloc(300_000));
    for await (const chunk of tree.pack()) {
      assert.ok(chunk.length > 0);
      break;
    }
    assert.deepEqual(await openPaths(workspace), []);
  });
});

/** What this process holds open under a directory. */
async function openPaths(directory: string): Promise<string[]> {
  const paths = await Promise.all((await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return paths.filter((path) => path.startsWith(directory));
}

test('files of an archive keep their time', async (t) => {
  const { tree, workspace } = await temporaryTree(t);
  const mtime = new Date('2001-02-03T04:05:06Z');
  await tree.unpack({ body: bodyOf(await archive({ name: 'old', mtime, content: 'x' })) });
  assert.equal((await stat(join(workspace, 'old'))).mtimeMs, mtime.getTime());
  assert.equal(await readFile(join(workspace, 'old'), 'utf8'), 'x');
});
