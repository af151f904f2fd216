// What turns write over is kept before they do, and put back by a rewind.
import assert from 'node:assert/strict';
import {
  appendFile,
  chmod,
  mkdir,
  mkdtemp,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { digestBytes } from '../../src/workspace/content/digest.ts';
import { createPlaces } from '../../src/workspace/places.ts';
import { refusalOf } from './support/refusal.ts';
import { CANARY } from './support/temporary-workspace.ts';
import { historyWorld, overwrite, treeOf } from './support/history-world.ts';

describe('a rewind', () => {
  test('puts each file back byte for byte with its mode, and removes what did not exist, directories too', async (t) => {
    const world = await historyWorld(t);
    const { workspace } = world;
    const contents = { crlf: 'a\r\nb\r\n', bom: '\uFEFFx', binary: Buffer.from([0, 255, 13, 10, 0]), empty: '' };
    for (const [name, content] of Object.entries(contents)) await writeFile(join(workspace, name), content);
    await chmod(join(workspace, 'crlf'), 0o751);
    const before = await treeOf(workspace);
    for (const name of Object.keys(contents)) await world.write('t1', name, 'changed');
    await world.write('t1', 'new/deep/file', 'new');
    const middle = await treeOf(workspace);
    await world.write('t2', 'new/other', 'new');
    const crlf = { path: join(workspace, 'crlf'), content: 'changed again', mode: 0o600 };
    await overwrite(world.history.filesFor('t2', world.files), crlf);
    assert.deepEqual(await world.rewind('t2'), { restored: ['crlf'], removed: ['new/other'], skipped: [] });
    assert.deepEqual(await treeOf(workspace), middle);
    assert.deepEqual(await world.rewind('t1'), { restored: Object.keys(contents), removed: ['new/deep/file'], skipped: [] });
    assert.deepEqual(await treeOf(workspace), before);
  });

  test('done twice does nothing more, and one to a later checkpoint leads forward again', async (t) => {
    const world = await historyWorld(t);
    await world.write('t1', 'one', '1');
    const before = await treeOf(world.workspace);
    await world.write('t2', 'two', '2');
    await world.rewind('t1');
    assert.deepEqual(await world.rewind('t1'), { restored: [], removed: [], skipped: [] });
    assert.deepEqual(await world.rewind('t2'), { restored: ['one'], removed: [], skipped: [] });
    assert.deepEqual(await treeOf(world.workspace), before);
  });

  test('on trial changes nothing and gives the same lists', async (t) => {
    const world = await historyWorld(t);
    await writeFile(join(world.workspace, 'old'), 'old');
    await world.write('t1', 'old', 'changed');
    await world.write('t1', 'made', 'new');
    await world.write('t1', 'gone', 'new');
    await rm(join(world.workspace, 'gone'));
    await mkdir(join(world.workspace, 'gone'));
    const now = await treeOf(world.workspace);
    const trial = await world.rewind('t1', true);
    assert.deepEqual(await treeOf(world.workspace), now);
    assert.equal(trial?.skipped.length, 1);
    assert.deepEqual(await world.rewind('t1'), trial);
  });

  test('to a checkpoint that is not there is none', async (t) => {
    const world = await historyWorld(t);
    assert.equal(await world.history.rewind('cp_none', { dryRun: false }), null);
    assert.deepEqual(await world.history.list(), []);
  });

  test('puts back what somebody else has changed or removed since', async (t) => {
    const world = await historyWorld(t);
    const path = join(world.workspace, 'below/file');
    await mkdir(join(world.workspace, 'below'));
    await writeFile(path, 'first');
    await world.write('t1', 'below/file', 'second');
    await writeFile(path, 'theirs');
    assert.deepEqual((await world.rewind('t1'))?.restored, ['below/file']);
    await rm(join(world.workspace, 'below'), { recursive: true });
    assert.deepEqual((await world.rewind('t1'))?.restored, ['below/file']);
    assert.equal(await readFile(path, 'utf8'), 'first');
  });

  test('leaves a directory that holds more than the turn made', async (t) => {
    const world = await historyWorld(t);
    await world.write('t1', 'made/a', 'new');
    await writeFile(join(world.workspace, 'made/theirs'), 'kept');
    await world.rewind('t1');
    assert.deepEqual(Object.keys(await treeOf(world.workspace)), ['made', 'made/theirs']);
  });

  test('never follows a link, and leaves what is no file alone, each with a reason', async (t) => {
    const world = await historyWorld(t);
    const { workspace, outside } = world;
    const names = ['link', 'in-link', 'dangling', 'directory', 'below/canary.txt'];
    await mkdir(join(workspace, 'below'));
    for (const name of names) await writeFile(join(workspace, name), 'first');
    for (const name of names) await world.write('t1', name, 'second');
    await world.write('t1', 'made/canary.txt', 'new');
    for (const name of names.slice(0, 4)) await unlink(join(workspace, name));
    for (const name of ['below', 'made']) await rename(join(workspace, name), join(workspace, `${name}-away`));
    await symlink(join(outside, 'canary.txt'), join(workspace, 'link'));
    await symlink(join(workspace, 'below-away/canary.txt'), join(workspace, 'in-link'));
    await symlink(join(workspace, 'nowhere'), join(workspace, 'dangling'));
    await mkdir(join(workspace, 'directory'));
    await symlink(join(outside, 'below'), join(workspace, 'below'));
    await symlink(outside, join(workspace, 'made'));
    const now = await treeOf(workspace);
    const trial = await world.rewind('t1', true);
    const rewound = await world.rewind('t1');
    assert.deepEqual(rewound, trial);
    assert.deepEqual([rewound?.restored, rewound?.removed], [[], []]);
    const reasons = Object.fromEntries(rewound?.skipped.map(({ path, reason }) => [path, reason]) ?? []);
    assert.deepEqual(Object.keys(reasons), [...names, 'made/canary.txt']);
    for (const [path, reason] of Object.entries(reasons)) {
      assert.equal(
        reason,
        path === 'directory' ? 'directory is a directory, not a regular file.' : `${path} is a symbolic link now, or lies behind one.`,
      );
    }
    assert.deepEqual(await treeOf(workspace), now);
    await world.assertOutsideUntouched();
    assert.equal(await readFile(join(outside, 'canary.txt'), 'utf8'), CANARY);
  });

  test('makes no directories behind a link', async (t) => {
    const world = await historyWorld(t);
    const { workspace } = world;
    await mkdir(join(workspace, 'real/deep'), { recursive: true });
    await mkdir(join(workspace, 'elsewhere'));
    await writeFile(join(workspace, 'real/deep/file'), 'first');
    await world.write('t1', 'real/deep/file', 'second');
    await rm(join(workspace, 'real'), { recursive: true });
    await symlink('elsewhere', join(workspace, 'real'));
    assert.equal((await world.rewind('t1'))?.skipped.length, 1);
    assert.deepEqual(Object.keys(await treeOf(workspace)), ['elsewhere', 'real']);
  });

  test('does not touch a file whose write failed', async (t) => {
    const world = await historyWorld(t);
    const files = world.history.filesFor('t1', world.files);
    const path = join(world.workspace, 'file');
    await refusalOf(files.write({ path, bytes: Buffer.from('x'), expectedHash: digestBytes(Buffer.from('not what is there')) }));
    assert.deepEqual(await world.history.list(), []);
    await world.write('t1', 'other', 'written');
    await writeFile(path, 'theirs');
    assert.deepEqual(await world.rewind('t1'), { restored: [], removed: ['other'], skipped: [] });
    assert.equal(await readFile(path, 'utf8'), 'theirs');
  });
});

describe('the history', () => {
  test('keeps the state before the first write of a turn, through whatever path it comes', async (t) => {
    const world = await historyWorld(t);
    await mkdir(join(world.workspace, 'real'));
    await writeFile(join(world.workspace, 'real/file'), 'first');
    await symlink('real', join(world.workspace, 'alias'));
    await world.write('t1', 'alias/file', 'second');
    await world.write('t1', 'real/file', 'third');
    await world.write('t1', 'alias/new', 'new');
    const [checkpoint] = await world.history.list();
    assert.deepEqual(checkpoint?.files, ['real/file', 'real/new']);
    assert.deepEqual(await world.rewind('t1'), { restored: ['real/file'], removed: ['real/new'], skipped: [] });
    assert.equal(await readFile(join(world.workspace, 'real/file'), 'utf8'), 'first');
  });

  test('keeps one state of a file that two calls of a turn write at once', async (t) => {
    const world = await historyWorld(t);
    await writeFile(join(world.workspace, 'file'), 'first');
    const files = world.history.filesFor('t1', world.files);
    const path = join(world.workspace, 'file');
    const expectedHash = digestBytes(Buffer.from('first'));
    const writes = ['a', 'b', 'c'].map((text) => files.write({ path, bytes: Buffer.from(text), expectedHash }));
    const ends = await Promise.allSettled([...writes, ...['x', 'y', 'z'].map((name) => world.write('t1', name, name))]);
    assert.deepEqual(ends.map(({ status }) => status).toSorted(), [...Array(4).fill('fulfilled'), ...Array(2).fill('rejected')]);
    assert.deepEqual((await world.history.list())[0]?.files.toSorted(), ['file', 'x', 'y', 'z']);
    await world.rewind('t1');
    assert.deepEqual(Object.keys(await treeOf(world.workspace)), ['file']);
    assert.equal(await readFile(path, 'utf8'), 'first');
  });

  test('goes on where it was after a restart, within a turn too', async (t) => {
    const world = await historyWorld(t);
    await writeFile(join(world.workspace, 'file'), 'first');
    await world.write('t1', 'file', 'second');
    const before = await world.history.list();
    world.restart();
    assert.deepEqual(await world.history.list(), before);
    await world.write('t1', 'file', 'third');
    await world.write('t1', 'more', 'new');
    assert.deepEqual(await world.history.list(), [{ ...before[0], files: ['file', 'more'] }]);
    world.restart();
    await world.rewind('t1');
    assert.equal(await readFile(join(world.workspace, 'file'), 'utf8'), 'first');
  });

  test('loses no more than the line that a crash has torn', async (t) => {
    const world = await historyWorld(t);
    await world.write('t1', 'one', '1');
    await world.write('t2', 'two', '2');
    const manifest = join(world.directory, 'manifest.jsonl');
    await truncate(manifest, (await stat(manifest)).size - 9);
    await appendFile(join(world.directory, 'blobs/half.tmp'), 'half-written');
    world.restart();
    assert.deepEqual(
      (await world.history.list()).map(({ turnId }) => turnId),
      ['t1'],
    );
    assert.deepEqual(await world.blobs(), []);
    await world.write('t3', 'three', '3');
    world.restart();
    assert.deepEqual(
      (await world.history.list()).map(({ turnId }) => turnId),
      ['t3', 't1'],
    );
    assert.deepEqual((await world.rewind('t1'))?.removed, ['one', 'three']);
  });

  test('keeps each content once, privately', async (t) => {
    const world = await historyWorld(t);
    for (const name of ['a', 'b']) await writeFile(join(world.workspace, name), 'same');
    for (const turn of ['t1', 't2']) for (const name of ['a', 'b']) await world.write(turn, name, turn === 't1' ? 'other' : 'same');
    assert.deepEqual((await world.blobs()).toSorted(), [digestBytes(Buffer.from('same')), digestBytes(Buffer.from('other'))].toSorted());
    for (const path of ['', 'blobs']) assert.equal((await stat(join(world.directory, path))).mode & 0o777, 0o700);
    for (const path of ['manifest.jsonl', ...(await world.blobs()).map((name) => `blobs/${name}`)])
      assert.equal((await stat(join(world.directory, path))).mode & 0o777, 0o600);
  });

  test('holds the last checkpoints, and no content that only older ones need', async (t) => {
    const world = await historyWorld(t, { checkpoints: 3 });
    for (let turn = 0; turn < 6; turn += 1) await world.write(`t${turn}`, 'file', `${turn}`);
    assert.deepEqual(
      (await world.history.list()).map(({ turnId }) => turnId),
      ['t5', 't4', 't3'],
    );
    const contents = ['2', '3', '4'].map((text) => digestBytes(Buffer.from(text))).toSorted();
    assert.deepEqual((await world.blobs()).toSorted(), contents);
    world.restart();
    assert.equal(await world.rewind('t2'), null);
    assert.deepEqual((await world.rewind('t3'))?.restored, ['file']);
    assert.equal(await readFile(join(world.workspace, 'file'), 'utf8'), '2');
  });

  test('keeps what rewinds have written over for as long as a later checkpoint may need it, once', async (t) => {
    const world = await historyWorld(t, { checkpoints: 3 });
    for (const turn of ['t0', 't1', 't2']) await world.write(turn, `of ${turn}`, turn);
    await world.rewind('t1');
    const { size } = await stat(join(world.directory, 'manifest.jsonl'));
    for (const turn of ['t2', 't1', 't2', 't1']) await world.rewind(turn);
    assert.equal((await stat(join(world.directory, 'manifest.jsonl'))).size, size);
    await world.write('t3', 'of t3', 't3');
    assert.deepEqual(
      (await world.history.list()).map(({ turnId }) => turnId),
      ['t3', 't2', 't1'],
    );
    assert.deepEqual(await world.rewind('t2'), { restored: ['of t1'], removed: ['of t3'], skipped: [] });
  });

  test('holds a hundred of them unless told otherwise', async (t) => {
    const world = await historyWorld(t);
    for (let turn = 0; turn < 102; turn += 1) await world.write(`t${turn}`, 'file', `${turn}`);
    const turns = (await world.history.list()).map(({ turnId }) => turnId);
    assert.deepEqual([turns.length, turns[0], turns.at(-1), (await world.blobs()).length], [100, 't101', 't2', 100]);
  });

  test('stays small also where turns have many files', async (t) => {
    const world = await historyWorld(t, { manifestBytes: 2_000 });
    for (let turn = 0; turn < 30; turn += 1) await world.write(`t${turn}`, `${turn}`, 'x');
    assert.ok((await stat(join(world.directory, 'manifest.jsonl'))).size < 2_500);
    assert.equal((await world.history.list())[0]?.turnId, 't29');
  });

  test('notes what is too large to keep, writes it all the same, and a rewind says so', async (t) => {
    const world = await historyWorld(t, { fileBytes: 1024 ** 2, allBytes: 1024 ** 2 });
    const path = (name: string): string => join(world.workspace, name);
    await writeFile(path('large'), Buffer.alloc(1024 ** 2 + 1));
    await writeFile(path('first'), Buffer.alloc(600 * 1024, 'a'));
    await writeFile(path('second'), Buffer.alloc(600 * 1024, 'b'));
    await writeFile(path('same'), Buffer.alloc(600 * 1024, 'a'));
    for (const name of ['large', 'first', 'second', 'same']) await world.write('t1', name, 'changed');
    assert.deepEqual(await world.rewind('t1'), {
      restored: ['first', 'same'],
      removed: [],
      skipped: [
        { path: 'large', reason: 'It was larger than 1 MiB, too large to be kept.' },
        { path: 'second', reason: 'It was not kept: the history of a session holds 1 MiB at most.' },
      ],
    });
    assert.equal(await readFile(path('large'), 'utf8'), 'changed');
    assert.equal((await stat(path('same'))).size, 600 * 1024);
    assert.equal((await world.blobs()).length, 2, 'what was kept, and what the rewind has written over');
  });

  test('has room again for what writes that failed would have needed', async (t) => {
    const world = await historyWorld(t, { allBytes: 1_000 });
    const path = join(world.workspace, 'file');
    const files = world.history.filesFor('t1', world.files);
    for (const content of ['a', 'b', 'c']) {
      await writeFile(path, content.repeat(600));
      await refusalOf(files.write({ path, bytes: Buffer.from('x'), expectedHash: digestBytes(Buffer.from('not what is there')) }));
    }
    assert.deepEqual(await world.blobs(), []);
    await world.write('t1', 'file', 'written');
    assert.deepEqual(await world.rewind('t1'), { restored: ['file'], removed: [], skipped: [] });
  });

  test('that cannot be written lets nothing be written over', async (t) => {
    const world = await historyWorld(t);
    await writeFile(world.directory, 'no directory');
    await writeFile(join(world.workspace, 'file'), 'first');
    const { code, message } = await refusalOf(world.write('t1', 'file', 'second'));
    assert.equal(code, 'io');
    assert.match(message, /file was not written, since what it holds now could not be kept first\. The history of the session /);
    assert.equal(await readFile(join(world.workspace, 'file'), 'utf8'), 'first');
    await rm(world.directory);
    await world.write('t1', 'file', 'second');
    assert.deepEqual((await world.rewind('t1'))?.restored, ['file']);
  });

  test('never puts back a content that was damaged', async (t) => {
    const world = await historyWorld(t);
    for (const name of ['a', 'b']) await writeFile(join(world.workspace, name), `first ${name}`);
    for (const name of ['a', 'b']) await world.write('t1', name, 'second');
    await writeFile(join(world.directory, 'blobs', digestBytes(Buffer.from('first a'))), 'damaged');
    const skipped = [{ path: 'a', reason: 'What was kept of it is lost or damaged.' }];
    assert.deepEqual(await world.rewind('t1'), { restored: ['b'], removed: [], skipped });
    assert.equal(await readFile(join(world.workspace, 'a'), 'utf8'), 'second');
  });

  test('is one for a session and those that work in its workspace', async (t) => {
    const dataDir = await realpath(await mkdtemp(join(tmpdir(), 'toolexec-data-')));
    t.after(() => rm(dataDir, { recursive: true, force: true }));
    const open = createPlaces({ dataDir, roots: [] });
    const parent = await open({ id: 'ses_1', path: undefined, additionalDirs: [] });
    const child = await open({ id: 'ses_2', path: undefined, additionalDirs: [], sharedWith: 'ses_1' });
    for (const [name, place] of Object.entries({ first: parent, second: child, third: parent })) {
      await overwrite(place.history.filesFor('t1', place.files), { path: join(parent.workspace, name), content: name });
    }
    const [checkpoint, ...others] = await parent.history.list();
    assert.deepEqual([checkpoint?.files, others], [['first', 'second', 'third'], []]);
    assert.deepEqual(await child.history.list(), [checkpoint]);
  });

  test('makes errors speak of the path that was asked for', async (t) => {
    const world = await historyWorld(t);
    const files = world.history.filesFor('t1', world.files);
    const refused = async (path: string) => (await refusalOf(files.write({ path, bytes: Buffer.from(''), expectedHash: null }))).code;
    await mkdir(join(world.workspace, 'directory'));
    assert.equal(await refused(join(world.workspace, 'directory')), 'not_a_file');
    assert.equal(await refused(join(world.outside, 'new')), 'outside');
    assert.equal(await refused(join(world.outputs, 'new')), 'denied');
    assert.deepEqual(await world.history.list(), []);
  });
});
