// The three file tools together, as a model uses them.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import iconv from 'iconv-lite';
import { toolHarness } from '../support/tool-harness.ts';
import Edit from '../../tools/edit/index.ts';
import Read from '../../tools/read/index.ts';
import Write from '../../tools/write/index.ts';

test('what Read has shown, even a part of it, Edit may change and Read then shows anew', async (t) => {
  const harness = await toolHarness(t);
  const path = join(harness.workspace, 'notes.txt');
  await writeFile(path, iconv.encode('eins\r\nzwei\r\ndrei – vier\r\n', 'utf16le', { addBOM: true }));
  await harness.call(Read, { file_path: 'notes.txt', offset: 2, limit: 1 });
  await harness.call(Edit, { file_path: 'notes.txt', old_string: 'zwei\ndrei', new_string: 'zwei\nDREI' });
  assert.match((await harness.call(Read, { file_path: 'notes.txt', offset: 2, limit: 1 })).text, /^2\tzwei/);
  assert.deepEqual(await readFile(path), iconv.encode('eins\r\nzwei\r\nDREI – vier\r\n', 'utf16le', { addBOM: true }));
});

test('what Write has written needs no reading before it is edited or written again, and is shown when read', async (t) => {
  const harness = await toolHarness(t);
  await harness.call(Write, { file_path: 'a.txt', content: 'one\n' });
  await harness.call(Edit, { file_path: 'a.txt', old_string: 'one', new_string: 'two' });
  assert.equal((await harness.call(Read, { file_path: 'a.txt' })).text, '1\ttwo');
  await harness.call(Write, { file_path: 'a.txt', content: 'three\n' });
  assert.equal((await harness.call(Read, { file_path: 'a.txt' })).text, '1\tthree');
  assert.match((await harness.call(Read, { file_path: 'a.txt' })).text, /^Unchanged/);
});
