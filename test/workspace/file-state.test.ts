import assert from 'node:assert/strict';
import { open, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createFileState } from '../../src/workspace/file-state.ts';
import { HASHED_BYTES } from '../../src/workspace/content/digest.ts';
import { createSessionFiles } from '../../src/workspace/session-files.ts';
import { temporaryWorkspace } from './support/temporary-workspace.ts';

const snapshot = { hash: 'a'.repeat(64), mtimeMs: 1, size: 1, whole: true };

describe('what a session has read', () => {
  test('is remembered by path, and not by another session', async (t) => {
    const { files, another } = await temporaryWorkspace(t);
    files.remember('/w/a', snapshot);
    assert.deepEqual(files.remembered('/w/a'), snapshot);
    assert.equal(files.remembered('/w/b'), undefined);
    assert.equal(another().remembered('/w/a'), undefined);
  });

  test('is bounded in bytes, the least recently used forgotten first', () => {
    const state = createFileState(10_000);
    for (let index = 0; index < 1000; index += 1) {
      state.set(`/w/${index}`, snapshot);
      state.get('/w/0');
    }
    const kept = Array.from({ length: 1000 }, (_, index) => state.get(`/w/${index}`)).filter((found) => found !== undefined).length;
    assert.ok(kept > 10 && kept < 50, `${kept} snapshots were kept`);
    assert.ok(state.get('/w/0'), 'what is used stays');
    assert.equal(state.get('/w/1'), undefined);
  });

  test('does not change when the caller changes its object afterwards', () => {
    const state = createFileState();
    const mine = { ...snapshot };
    state.set('/w/a', mine);
    mine.size = 99;
    assert.equal(state.get('/w/a')?.size, 1);
  });
});

describe('a digest', () => {
  test('is that of the content, whatever the times say', async (t) => {
    const { files, workspace } = await temporaryWorkspace(t);
    const path = join(workspace, 'file');
    await writeFile(path, 'one');
    const before = await files.look(path);
    await writeFile(path, 'two');
    await utimes(path, 1, 1);
    const after = await files.look(path);
    await writeFile(path, 'one');
    assert.notEqual(after?.hash, before?.hash);
    assert.equal((await files.look(path))?.hash, before?.hash);
  });

  test('of a huge file tells a change without reading it all', async (t) => {
    const { workspace } = await temporaryWorkspace(t);
    const files = createSessionFiles({ workspace, readableRoots: [] });
    const path = join(workspace, 'huge');
    await writeFile(path, '');
    await truncate(path, HASHED_BYTES * 4);
    const before = await files.look(path);
    assert.equal((await files.look(path))?.hash, before?.hash);
    const handle = await open(path, 'r+');
    await handle.write('x', 12_345);
    await handle.close();
    assert.notEqual((await files.look(path))?.hash, before?.hash);
  });
});
