import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import iconv from 'iconv-lite';
import { toolHarness } from '../../test/support/tool-harness.ts';
import { putKnownFile } from '../../test/workspace/support/known-file.ts';
import { refusalOf } from '../../test/workspace/support/refusal.ts';
import Write from './index.ts';
import { toolSuite } from '../../test/suites/tool.ts';

describe('Write', () => {
  test('creates a file with its directories, byte for byte as given', async (t) => {
    const harness = await toolHarness(t);
    const content = 'one\r\ntwo\nthree ☕';
    const { text } = await harness.call(Write, { file_path: 'a/b/c.txt', content });
    assert.equal(await readFile(join(harness.workspace, 'a/b/c.txt'), 'utf8'), content);
    assert.equal(text, 'Created a/b/c.txt: 3 lines.');
  });

  test('goes by the working directory of the session', async (t) => {
    const harness = await toolHarness(t);
    await mkdir(join(harness.workspace, 'src'));
    harness.state = { ...harness.state, cwd: join(harness.workspace, 'src') };
    assert.equal((await harness.call(Write, { file_path: 'a.ts', content: '' })).text, 'Created a.ts: 0 lines.');
    assert.deepEqual(await readdir(join(harness.workspace, 'src')), ['a.ts']);
    const { text } = await harness.call(Write, { file_path: '../b.ts', content: '' });
    assert.equal(text, `Created ${harness.workspace}/b.ts: 0 lines.`, 'a path outside of the working directory is absolute');
  });

  test('replaces a file that was read, keeps its mode, and can do so again', async (t) => {
    const harness = await toolHarness(t);
    const path = await putKnownFile(harness, 'run.sh', 'old\n');
    await chmod(path, 0o755);
    const { text } = await harness.call(Write, { file_path: path, content: 'new\n' });
    assert.equal(text, 'Updated run.sh: 1 line.');
    await harness.call(Write, { file_path: path, content: 'newer\n' });
    assert.equal(await readFile(path, 'utf8'), 'newer\n');
    assert.equal((await stat(path)).mode & 0o7777, 0o755);
    assert.deepEqual(await readdir(harness.workspace), ['run.sh']);
  });

  test('says so when only a part of the former content had been read', async (t) => {
    const harness = await toolHarness(t);
    const path = await putKnownFile(harness, 'file', 'a\nb\n', false);
    assert.match((await harness.call(Write, { file_path: path, content: 'c' })).text, /Only a part/);
  });
});

describe('Write refuses', () => {
  test('an existing file that was not read in this session', async (t) => {
    const harness = await toolHarness(t);
    await writeFile(join(harness.workspace, 'file'), 'theirs');
    const error = await refusalOf(harness.call(Write, { file_path: 'file', content: 'mine' }));
    assert.match(error.message, /^file exists and has not been read in this session\. Read it first/);
    assert.equal(await readFile(join(harness.workspace, 'file'), 'utf8'), 'theirs');
  });

  test('a file that has changed since it was read', async (t) => {
    const harness = await toolHarness(t);
    const path = await putKnownFile(harness, 'file', 'seen');
    await writeFile(path, 'theirs');
    assert.equal((await refusalOf(harness.call(Write, { file_path: 'file', content: 'mine' }))).code, 'changed');
    assert.equal(await readFile(path, 'utf8'), 'theirs');
  });

  test('a directory, and a path outside the workspace', async (t) => {
    const harness = await toolHarness(t);
    await mkdir(join(harness.workspace, 'directory'));
    assert.equal((await refusalOf(harness.call(Write, { file_path: 'directory', content: '' }))).code, 'not_a_file');
    assert.equal((await refusalOf(harness.call(Write, { file_path: '../x', content: '' }))).code, 'outside');
    assert.equal((await refusalOf(harness.call(Write, { file_path: join(harness.outputs, 'x'), content: '' }))).code, 'denied');
    assert.deepEqual(await readdir(harness.outputs), []);
  });

  test('text that no file can hold, before anything runs', async () => {
    assert.equal((await Write.validateInput?.({ file_path: 'a', content: '\uD800' }))?.ok, false);
    assert.deepEqual(await Write.validateInput?.({ file_path: 'a', content: '🎉' }), { ok: true });
  });
});

describe('Write keeps the encoding of what was there', () => {
  for (const [encoding, addBOM, name] of [
    ['utf16le', true, 'UTF-16 LE'],
    ['utf8', true, 'UTF-8 with BOM'],
    ['latin1', false, 'ISO-8859-1'],
  ] as const) {
    test(name, async (t) => {
      const harness = await toolHarness(t);
      const path = await putKnownFile(harness, 'file', iconv.encode('café', encoding, { addBOM }));
      const { text } = await harness.call(Write, { file_path: path, content: 'thé\n' });
      assert.deepEqual(await readFile(path), iconv.encode('thé\n', encoding, { addBOM }));
      assert.match(text, new RegExp(`It is ${name}, as before`));
    });
  }

  test('unless it cannot hold the new content, and says so', async (t) => {
    const harness = await toolHarness(t);
    const path = await putKnownFile(harness, 'file', iconv.encode('café', 'latin1'));
    assert.match((await harness.call(Write, { file_path: path, content: '5 €' })).text, /now UTF-8/);
    assert.equal(await readFile(path, 'utf8'), '5 €');
  });
});

describe('Write tells the service', () => {
  const context = {
    sessionId: 's',
    workspace: '/w',
    env: {},
    state: { cwd: '/w/src', mode: 'default', todos: [], loadedTools: [] },
  } as const;
  const input = { file_path: '../a.ts', content: 'x' };

  test('what it touches and does', () => {
    assert.deepEqual(Write.permissionSubjects(input, context), [{ kind: 'path', access: 'write', path: '/w/a.ts' }]);
    assert.equal(Write.backfillObservableInput?.({ ...input }, context)['file_path'], '/w/a.ts');
    assert.deepEqual([Write.isReadOnly(input), Write.isConcurrencySafe(input), Write.isDestructive(input)], [false, false, true]);
    assert.deepEqual([Write.effect(input), Write.interruptBehavior], ['idempotent', 'finish']);
  });

  test('how to draw a new file and a changed one', async (t) => {
    const harness = await toolHarness(t);
    const draw = async (content: string) => {
      const call = { file_path: 'file', content };
      const { result } = await harness.call(Write, call);
      return Write.renderResult(call, result as Parameters<typeof Write.renderResult>[1]);
    };
    const created = await draw('a\nb\n');
    assert.deepEqual([created.title, created.subtitle], ['Write file', 'created']);
    const updated = await draw('a\nB\n');
    assert.equal(updated.subtitle, 'updated');
    assert.ok(updated.body?.kind === 'diff');
    assert.match(updated.body.diff, / a\n-b\n\+B\n/);
  });
});

toolSuite({ tool: Write, input: { file_path: 'new.txt', content: 'one\ntwo\n' } });
