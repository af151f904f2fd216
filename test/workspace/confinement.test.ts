import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { link, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import { FileError } from '../../src/contract/index.ts';
import type { TemporaryWorkspace } from './support/temporary-workspace.ts';
import { assertRefused, readText, temporaryWorkspace } from './support/temporary-workspace.ts';

const bytes = Buffer.from('new');

/** Every way to use a file is refused, and nothing outside has changed. */
async function assertNoWay(place: TemporaryWorkspace, path: string): Promise<void> {
  await assertRefused(readText(place.files, path), 'outside');
  await assertRefused(place.files.confine(path), 'outside');
  await assertRefused(place.files.look(path), 'outside');
  await assertRefused(place.files.write({ path, bytes, expectedHash: null }), 'outside');
  await assertRefused(place.files.write({ path, bytes, expectedHash: 'any' }), 'outside');
  await place.assertOutsideUntouched();
}

describe('no path leads out of the workspace', () => {
  test('not a plain path outside, nor one whose beginning looks like the workspace', async (t) => {
    const place = await temporaryWorkspace(t);
    await assertNoWay(place, join(place.outside, 'canary.txt'));
    await assertNoWay(place, '/etc/passwd');
  });

  test('not "..", before or after it is resolved', async (t) => {
    const place = await temporaryWorkspace(t);
    await assertNoWay(place, place.files.absolute(`../${basename(place.outside)}/canary.txt`, place.workspace));
    await assertNoWay(place, `${place.workspace}/../${basename(place.outside)}/canary.txt`);
  });

  test('not a link to a file, to a directory, or to a link', async (t) => {
    const place = await temporaryWorkspace(t);
    await symlink(join(place.outside, 'canary.txt'), join(place.workspace, 'file'));
    await symlink(place.outside, join(place.workspace, 'directory'));
    await symlink('directory', join(place.workspace, 'link'));
    await assertNoWay(place, join(place.workspace, 'file'));
    await assertNoWay(place, join(place.workspace, 'directory/canary.txt'));
    await assertNoWay(place, join(place.workspace, 'link/canary.txt'));
    await assertNoWay(place, join(place.workspace, 'link/missing/parents/file'));
  });

  test('not a link that dangles', async (t) => {
    const place = await temporaryWorkspace(t);
    await symlink(join(place.outside, 'missing'), join(place.workspace, 'dangling'));
    await symlink(`../${basename(place.outside)}/also/missing`, join(place.workspace, 'relative'));
    await assertNoWay(place, join(place.workspace, 'dangling'));
    await assertNoWay(place, join(place.workspace, 'dangling/below'));
    await assertNoWay(place, join(place.workspace, 'relative'));
  });

  test('not through /proc', async (t) => {
    const place = await temporaryWorkspace(t);
    await assertNoWay(place, `/proc/self/root${place.outside}/canary.txt`);
    await assertNoWay(place, '/proc/self/environ');
    await symlink('/proc/self/root', join(place.workspace, 'root'));
    await assertNoWay(place, `${place.workspace}/root${place.outside}/canary.txt`);
  });

  test('an error does not tell whether something is there', async (t) => {
    const place = await temporaryWorkspace(t);
    const message = async (name: string): Promise<string> => {
      const path = join(place.outside, name);
      const error: unknown = await readText(place.files, path).catch((reason: unknown) => reason);
      assert.ok(error instanceof FileError);
      return error.message.replace(path, 'PATH');
    };
    assert.equal(await message('canary.txt'), await message('missing.txt'));
    assert.equal(await message('canary.txt/below'), await message('missing/below'));
    // Not even by what the system finds wrong with it.
    await symlink(place.outside, join(place.workspace, 'link'));
    await assertNoWay(place, join(place.workspace, 'link', 'x'.repeat(300)));
    await assertNoWay(place, join(place.workspace, 'link/missing', 'x'.repeat(300), 'below'));
    await assertRefused(readText(place.files, join(place.workspace, 'x'.repeat(300))), 'io');
  });

  test('not a name that only looks like one of the workspace, or that other systems take for ".." or "/"', async (t) => {
    const place = await temporaryWorkspace(t);
    const outside = basename(place.outside);
    for (const up of ['\uff0e\uff0e', '\u2024\u2024', '%2e%2e', '..\\', '\u2025', '. .']) {
      await assertRefused(readText(place.files, `${place.workspace}/${up}/${outside}/canary.txt`), 'not_found');
      await assertRefused(readText(place.files, `${place.workspace}/${up}\uff0f${outside}\u2215canary.txt`), 'not_found');
    }
    await assertNoWay(place, `${place.workspace.toUpperCase()}/canary.txt`);
    await assertNoWay(place, `${place.workspace}\u0301/canary.txt`);
  });
});

describe('what is no regular file of the workspace is refused', () => {
  test('a NUL character in a path', async (t) => {
    const { files, workspace } = await temporaryWorkspace(t);
    await assertRefused(readText(files, `${workspace}/a\0b`), 'denied');
    await assertRefused(files.write({ path: `${workspace}/a\0b`, bytes, expectedHash: null }), 'denied');
    assert.deepEqual(await readdir(workspace), []);
  });

  test('half of a character in a path, which would be another path for the system', async (t) => {
    const { files, workspace } = await temporaryWorkspace(t);
    await writeFile(join(workspace, '\ufffd'), 'text');
    for (const name of ['\ud800', '\udc00', 'a\ud83d/b']) {
      await assertRefused(readText(files, join(workspace, name)), 'denied');
      await assertRefused(files.write({ path: join(workspace, name), bytes, expectedHash: null }), 'denied');
    }
    assert.equal(await readText(files, join(workspace, '\ufffd')), 'text');
    assert.deepEqual(await readdir(workspace), ['\ufffd']);
  });

  test('a directory, a named pipe and a socket, without waiting for the other end', async (t) => {
    const { files, workspace } = await temporaryWorkspace(t);
    const server = createServer().listen(join(workspace, 'socket'));
    await once(server, 'listening');
    t.after(() => server.close());
    execFileSync('mkfifo', [join(workspace, 'pipe')]);
    for (const path of [workspace, join(workspace, 'pipe'), join(workspace, 'socket')]) {
      await assertRefused(readText(files, path), 'not_a_file');
      await assertRefused(files.look(path), 'not_a_file');
      await assertRefused(files.write({ path, bytes, expectedHash: 'any' }), 'not_a_file');
    }
    await mkdir(join(workspace, 'directory'));
    await assertRefused(readText(files, join(workspace, 'directory')), 'not_a_file');
    await assertRefused(files.confine(join(workspace, 'pipe')), 'not_a_file');
  });

  test('a named pipe is not even opened, so who waits at its other end goes on waiting', async (t) => {
    const { files, workspace } = await temporaryWorkspace(t);
    const pipe = join(workspace, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const writer = spawn('sh', ['-c', 'echo ready; echo sent > pipe'], { cwd: workspace });
    t.after(() => writer.kill());
    await once(writer.stdout, 'data');
    for (let round = 0; round < 20; round += 1) await assertRefused(readText(files, pipe), 'not_a_file');
    assert.equal(await readFile(pipe, 'utf8'), 'sent\n');
  });

  test('a missing file, a file below a file, and links in a circle', async (t) => {
    const { files, workspace } = await temporaryWorkspace(t);
    await writeFile(join(workspace, 'file'), 'text');
    await symlink('one', join(workspace, 'other'));
    await symlink('other', join(workspace, 'one'));
    for (const name of ['missing', 'missing/below', 'file/below', 'one', 'one/below']) {
      await assertRefused(readText(files, join(workspace, name)), 'not_found');
    }
    assert.equal(await files.look(join(workspace, 'missing/below')), null);
    await assertRefused(files.write({ path: join(workspace, 'file/below'), bytes, expectedHash: null }), 'not_found');
  });

  test('writing what may only be read', async (t) => {
    const { files, outputs } = await temporaryWorkspace(t);
    const path = join(outputs, 'call.txt');
    await writeFile(path, 'output');
    assert.equal(await readText(files, path), 'output');
    await assertRefused(files.look(path), 'denied');
    await assertRefused(files.write({ path, bytes, expectedHash: null }), 'denied');
    assert.equal(await readFile(path, 'utf8'), 'output');
  });
});

describe('a file that has a second name outside', () => {
  test('keeps its text there when it is written inside, and its mode', async (t) => {
    const place = await temporaryWorkspace(t);
    const other = join(place.outside, 'canary.txt');
    const path = join(place.workspace, 'name');
    await link(other, path);
    const { mode } = await stat(other);
    const seen = await place.files.look(path);
    await place.files.write({ path, bytes, expectedHash: seen?.hash ?? null, mode: 0o777 });
    assert.equal(await readText(place.files, path), 'new');
    assert.equal((await stat(other)).mode, mode);
    await place.assertOutsideUntouched();
  });
});

describe('inside the workspace links are followed', () => {
  test('reading and writing through a link reaches its target and leaves the link', async (t) => {
    const { files, workspace } = await temporaryWorkspace(t);
    await mkdir(join(workspace, 'real'));
    await writeFile(join(workspace, 'real/file'), 'old');
    await symlink('real', join(workspace, 'directory'));
    await symlink('directory/file', join(workspace, 'link'));
    const path = join(workspace, 'link');
    assert.equal(await readText(files, path), 'old');
    const seen = await files.look(path);
    assert.equal(seen?.path, join(workspace, 'real/file'));
    const written = await files.write({ path, bytes, expectedHash: seen.hash });
    assert.equal(written.path, join(workspace, 'real/file'));
    assert.equal(await readFile(join(workspace, 'real/file'), 'utf8'), 'new');
    assert.deepEqual(await readdir(workspace), ['directory', 'link', 'real']);
  });

  test('a dangling link makes its target', async (t) => {
    const { files, workspace } = await temporaryWorkspace(t);
    await symlink('below/target', join(workspace, 'link'));
    const written = await files.write({ path: join(workspace, 'link'), bytes, expectedHash: null });
    assert.equal(written.path, join(workspace, 'below/target'));
    assert.equal(await readText(files, join(workspace, 'link')), 'new');
  });

  test('a directory and a file stand for a program under their real paths', async (t) => {
    const { files, workspace } = await temporaryWorkspace(t);
    await writeFile(join(workspace, 'file'), '');
    await symlink('file', join(workspace, 'link'));
    assert.deepEqual(await files.confine(workspace), { path: workspace, kind: 'directory' });
    assert.deepEqual(await files.confine(join(workspace, 'link')), { path: join(workspace, 'file'), kind: 'file' });
    await assertRefused(files.confine(join(workspace, 'missing')), 'not_found');
  });
});
