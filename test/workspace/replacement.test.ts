// Whether a tool that replaces a file did so before a crash: Write, Edit and NotebookEdit ask in the same way.
import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import type { CallContext, Intent, SessionFiles, Tool } from '../../src/contract/index.ts';
import { createSessionFiles } from '../../src/workspace/session-files.ts';
import Edit from '../../tools/edit/index.ts';
import NotebookEdit from '../../tools/notebook-edit/index.ts';
import Write from '../../tools/write/index.ts';
import { toolHarness } from '../support/tool-harness.ts';
import { putKnownFile } from './support/known-file.ts';

const NOTEBOOK = JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [] });

// Each tool takes its own input; here nobody looks into it.
const CASES = [
  { tool: Write as unknown as Tool, file: 'file', was: 'old\n', input: { file_path: 'file', content: 'new\n' } },
  { tool: Edit as unknown as Tool, file: 'file', was: 'end\n', input: { file_path: 'file', old_string: 'end', new_string: 'the end' } },
  {
    tool: NotebookEdit as unknown as Tool,
    file: 'a.ipynb',
    was: NOTEBOOK,
    input: { notebook_path: 'a.ipynb', edit_mode: 'insert', cell_type: 'code', new_source: 'x = 1' },
  },
] as const;
type Case = (typeof CASES)[number];

/** A call that has said what it will do; after that the session has forgotten its files. */
async function interrupted(t: TestContext, { tool, file, was, input }: Case, known = true) {
  const harness = await toolHarness(t);
  const path = join(harness.workspace, file);
  if (known) await putKnownFile(harness, file, was);
  else await writeFile(path, was);
  const contextOf = (files: SessionFiles): CallContext =>
    // What these three look at of it.
    ({ files, state: harness.state, workspace: harness.workspace, turnId: 'turn_test', toolUseId: 'toolu_1' }) as unknown as CallContext;
  const said = await tool.intent?.(input, contextOf(harness.files)).catch(() => undefined);
  const intent = said === undefined ? undefined : (JSON.parse(JSON.stringify(said)) as Intent);
  const files = createSessionFiles({ workspace: harness.workspace, readableRoots: [] });
  const probe = () => tool.probe?.(input, { ...contextOf(files), ...(intent && { intent }) });
  const run = (on: SessionFiles) => harness.call(tool, input, { files: on });
  return { path, files, harness, probe, run };
}

for (const one of CASES) {
  describe(`${one.tool.name}, interrupted,`, () => {
    test('is found done with what it would have said, and the file is known again', async (t) => {
      const { probe, run, harness, files, path } = await interrupted(t, one);
      const { text } = await run(harness.files);
      const answer = await probe();
      assert.equal(answer?.kind, 'applied');
      assert.equal(answer.result.content, text);
      assert.equal(files.remembered(path)?.hash, (await files.look(path))?.hash);
      assert.ok(one.tool.renderResult(one.input, answer.result).title.length > 0);
    });

    test('is found not done, and then runs although the session has forgotten what was read', async (t) => {
      const { probe, run, files, path } = await interrupted(t, one);
      assert.deepEqual(await probe(), { kind: 'not_applied' });
      assert.equal((await run(files)).result.isError, undefined);
      assert.notEqual(await readFile(path, 'utf8'), one.was);
    });

    test('cannot be told when somebody else has changed or removed the file', async (t) => {
      const { probe, path } = await interrupted(t, one);
      await writeFile(path, 'theirs');
      assert.deepEqual(await probe(), { kind: 'unclear' });
      await rm(path);
      assert.deepEqual(await probe(), { kind: 'unclear' });
    });

    test('does not come to know a file that had not been read', async (t) => {
      const { probe, run, files, path } = await interrupted(t, one, false);
      await probe();
      await assert.rejects(run(files), /not been read/);
      assert.equal(await readFile(path, 'utf8'), one.was);
    });
  });
}

test('Write, interrupted while it made a file, is found done or makes it', async (t) => {
  const input = { file_path: 'made', content: 'new\n' };
  const { probe, run, path, files, harness } = await interrupted(t, {
    tool: Write as unknown as Tool,
    file: 'other',
    was: '',
    input,
  } as unknown as Case);
  assert.deepEqual(await probe(), { kind: 'not_applied' });
  await run(harness.files);
  const answer = await probe();
  assert.ok(answer?.kind === 'applied');
  assert.deepEqual(answer.result.content, 'Created made: 1 line.');
  assert.ok(files.remembered(join(harness.workspace, 'made')));
  assert.equal(await readFile(path, 'utf8'), '');
});
