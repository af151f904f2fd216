import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { chmod, mkdir, open, readdir, readFile, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import type { SessionFiles } from '../../src/contract/index.ts';
import { FileError } from '../../src/contract/index.ts';
import { assertRefused, readText, temporaryWorkspace } from './support/temporary-workspace.ts';

const run = promisify(execFile);

async function hashOf(files: SessionFiles, path: string): Promise<string> {
  return (await files.look(path))?.hash ?? assert.fail(`${path} is missing`);
}

describe('a write', () => {
  test('makes a file and its parents, and says what is there now', async (t) => {
    const { files, workspace } = await temporaryWorkspace(t);
    const path = join(workspace, 'a/b/c.txt');
    const written = await files.write({ path, bytes: Buffer.from('text'), expectedHash: null });
    assert.equal(await readFile(path, 'utf8'), 'text');
    const { mode, ...seen } = (await files.look(path)) ?? assert.fail('nothing there');
    assert.deepEqual(written, seen);
    assert.equal(mode & 0o777, 0o666 & ~process.umask());
    assert.deepEqual(await readdir(join(workspace, 'a/b')), ['c.txt']);
  });

  test('keeps the mode of the file it replaces, and takes one that is given', async (t) => {
    const { files, workspace } = await temporaryWorkspace(t);
    const path = join(workspace, 'script');
    await writeFile(path, 'old');
    await chmod(path, 0o751);
    await files.write({ path, bytes: Buffer.from('new'), expectedHash: await hashOf(files, path) });
    assert.equal((await stat(path)).mode & 0o7777, 0o751);
    await files.write({ path, bytes: Buffer.from('newer'), expectedHash: await hashOf(files, path), mode: 0o4600 });
    assert.equal((await stat(path)).mode & 0o7777, 0o600, 'set-user-id does not survive a write');
    const secret = join(workspace, 'secret');
    await files.write({ path: secret, bytes: Buffer.from('x'), expectedHash: null, mode: 0o640 });
    assert.equal((await stat(secret)).mode & 0o7777, 0o640);
  });

  test('leaves alone what is not what was expected, and no temporary file beside it', async (t) => {
    const { files, workspace } = await temporaryWorkspace(t);
    const path = join(workspace, 'file');
    const bytes = Buffer.from('mine');
    await assertRefused(files.write({ path, bytes, expectedHash: 'gone' }), 'changed');
    await writeFile(path, 'theirs');
    await assertRefused(files.write({ path, bytes, expectedHash: null }), 'exists');
    await assertRefused(files.write({ path, bytes, expectedHash: 'other' }), 'changed');
    await mkdir(join(workspace, 'directory'));
    await assertRefused(files.write({ path: join(workspace, 'directory'), bytes, expectedHash: null }), 'exists');
    await assertRefused(files.write({ path: join(workspace, 'x'.repeat(300)), bytes, expectedHash: null }), 'io');
    assert.equal(await readFile(path, 'utf8'), 'theirs');
    assert.deepEqual((await readdir(workspace)).toSorted(), ['directory', 'file']);
  });

  test('is on the disk before it takes the place of the old file', async (t) => {
    const { files, workspace } = await temporaryWorkspace(t);
    const path = join(workspace, 'file');
    await writeFile(path, 'old');
    await using handle = await open(path);
    const seen: string[] = [];
    const prototype = Object.getPrototypeOf(handle) as FileHandle;
    t.mock.method(prototype, 'sync', async function watched(this: FileHandle) {
      await this.datasync();
      seen.push(await readFile(path, 'utf8'));
    });
    await files.write({ path, bytes: Buffer.from('new'), expectedHash: await hashOf(files, path) });
    assert.deepEqual([...seen, await readFile(path, 'utf8')], ['old', 'new']);
  });

  test('that fails in the middle, as on a full disk, leaves the old file and nothing else', async (t) => {
    const { files, workspace } = await temporaryWorkspace(t);
    const path = join(workspace, 'file');
    await files.write({ path, bytes: Buffer.from('old'), expectedHash: null });
    const script = join(import.meta.dirname, 'support/write-too-much.ts');
    // A limit on file sizes fails a write just as a full disk does, without needing one.
    const { stdout } = await run('bash', ['-c', 'ulimit -f 64; exec "$0" "$@"', process.execPath, script, workspace]);
    assert.deepEqual(JSON.parse(stdout), { created: 'io', replaced: 'io' });
    assert.equal(await readFile(path, 'utf8'), 'old');
    assert.deepEqual(await readdir(workspace), ['file']);
  });

  test('is seen whole or not at all', async (t) => {
    const { files, another, workspace } = await temporaryWorkspace(t);
    const path = join(workspace, 'file');
    const contents = ['a', 'b'].map((letter) => letter.repeat(200_000));
    await writeFile(path, contents[0] ?? '');
    const written = new AbortController();
    const readOn = async (): Promise<number> => {
      const other = another();
      let reads = 0;
      for (; !written.signal.aborted; reads += 1) assert.ok(contents.includes(await readText(other, path)), 'a part was seen');
      return reads;
    };
    const reader = readOn();
    for (let round = 1; round <= 60; round += 1) {
      await files.write({ path, bytes: Buffer.from(contents[round % 2] ?? ''), expectedHash: await hashOf(files, path) });
    }
    written.abort();
    assert.ok((await reader) > 10);
  });
});

describe('two sessions on one file', () => {
  test('of many that replace the same state, one wins and the others are told', async (t) => {
    const { another, workspace } = await temporaryWorkspace(t);
    const sessions = Array.from({ length: 8 }, another);
    const path = join(workspace, 'file');
    const outcomes = async (expectedHash: string | null): Promise<string[]> => {
      const writes = sessions.map((files, index) =>
        files.write({ path, bytes: Buffer.from(`session ${index} over ${expectedHash}`), expectedHash }),
      );
      const settled = await Promise.allSettled(writes);
      return settled
        .map((one) => (one.status === 'fulfilled' ? 'written' : one.reason instanceof FileError ? one.reason.code : 'crash'))
        .toSorted();
    };
    assert.deepEqual(await outcomes(null), [...Array.from({ length: 7 }, () => 'exists'), 'written']);
    const [files] = sessions;
    assert.ok(files);
    assert.deepEqual(await outcomes(await hashOf(files, path)), [...Array.from({ length: 7 }, () => 'changed'), 'written']);
    assert.deepEqual(await readdir(workspace), ['file']);
  });

  test('that both count in it lose no count', async (t) => {
    const { another, workspace } = await temporaryWorkspace(t);
    const path = join(workspace, 'counter');
    await writeFile(path, '0');
    const countOne = async (files: SessionFiles): Promise<number> => {
      const expectedHash = await hashOf(files, path);
      const next = Number(await readText(files, path)) + 1;
      try {
        await files.write({ path, bytes: Buffer.from(String(next)), expectedHash });
        return 1;
      } catch (error) {
        assert.ok(error instanceof FileError && error.code === 'changed', String(error));
        return 0;
      }
    };
    const countUp = async (files: SessionFiles): Promise<void> => {
      for (let counted = 0; counted < 40; counted += await countOne(files));
    };
    await Promise.all([countUp(another()), countUp(another()), countUp(another())]);
    assert.equal(await readFile(path, 'utf8'), '120');
  });
});
