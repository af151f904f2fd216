import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { FileError } from '../../src/contract/index.ts';
import { createSessionFiles } from '../../src/workspace/session-files.ts';
import { toolHarness } from '../../test/support/tool-harness.ts';
import { putKnownFile } from '../../test/workspace/support/known-file.ts';
import { refusalOf } from '../../test/workspace/support/refusal.ts';
import Edit from './index.ts';

test('a change between the reading and the writing of an edit is seen, and stays', async (t) => {
  const harness = await toolHarness(t);
  const path = await putKnownFile(harness, 'file.txt', 'a b');
  const { files } = harness;
  const withFile: typeof files.withFile = async (...request) => {
    const read = await files.withFile(...request);
    await writeFile(path, 'a b c');
    return read;
  };
  const call = harness.call(Edit, { file_path: 'file.txt', old_string: 'a', new_string: 'A' }, { files: { ...files, withFile } });
  assert.equal((await refusalOf(call)).code, 'changed');
  assert.equal(await readFile(path, 'utf8'), 'a b c');
});

test('sessions that edit one file at the same time lose no edit silently', async (t) => {
  const names = Array.from({ length: 3 }, (_, session) => Array.from({ length: 25 }, (__, index) => `line-${session}-${index}-`));
  const harness = await toolHarness(t);
  const path = await putKnownFile(harness, 'file.txt', names.flat().join('\n'));
  const editAll = async (mine: string[]): Promise<string[]> => {
    const files = createSessionFiles({ workspace: harness.workspace, readableRoots: [] });
    files.remember(path, harness.files.remembered(path) ?? assert.fail('not read'));
    const after: string[] = [];
    for (const name of mine) {
      const input = { file_path: path, old_string: name, new_string: `${name}done` };
      const edited = await harness.call(Edit, input, { files }).then(
        ({ result }) => result.isError !== true,
        (error: unknown) => {
          assert.ok(error instanceof FileError && error.code === 'changed', String(error));
          return false;
        },
      );
      after.push(edited ? `${name}done` : name);
    }
    return after;
  };
  const after = (await Promise.all(names.map(editAll))).flat();
  assert.equal(await readFile(path, 'utf8'), after.join('\n'));
  assert.ok(after.some((line) => line.endsWith('done')));
});
