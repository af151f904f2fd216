import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { toolSuite } from '../../test/suites/tool.ts';
import { toolHarness } from '../../test/support/tool-harness.ts';
import { putKnownFile } from '../../test/workspace/support/known-file.ts';
import { refusalOf } from '../../test/workspace/support/refusal.ts';
import { editApart } from './edit-apart.ts';
import type { NotebookEditInput } from './plan-change.ts';
import NotebookEdit from './index.ts';

type Edit = Omit<NotebookEditInput, 'notebook_path'>;

/** As Jupyter writes it: one blank a level, sources as lists, a line end at the end. */
const NOTEBOOK = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {"tags": ["keep"]},
   "source": [
    "# Title\\n",
    "Text"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "sum",
   "metadata": {},
   "outputs": [
    {"data": {"text/plain": ["12345678901234567890.10"]}, "output_type": "execute_result", "n": 1e400}
   ],
   "source": [
    "1 + 1"
   ],
   "custom": 12345678901234567890
  }
 ],
 "metadata": {"big": 12345678901234567890, "small": 1.0},
 "nbformat": 4,
 "nbformat_minor": 5
}
`;

/** A notebook that the session has read. */
async function notebook(t: TestContext, content: string | Buffer = NOTEBOOK) {
  const harness = await toolHarness(t);
  const path = await putKnownFile(harness, 'a.ipynb', content);
  const edit = (input: Edit) => harness.call(NotebookEdit, { notebook_path: 'a.ipynb', ...input });
  return { harness, path, edit, text: () => readFile(path, 'utf8') };
}

/** Ids, types and sources of the cells, in short. */
function cellsOf(text: string): string[] {
  const { cells } = JSON.parse(text) as { cells: { id?: string; cell_type: string; source: string | string[] }[] };
  return cells.map(({ id = '-', cell_type, source }) => `${id} ${cell_type} ${typeof source === 'string' ? source : source.join('')}`);
}

describe('NotebookEdit replaces', () => {
  test('the source of a cell and not one byte of anything else', async (t) => {
    const { edit, text } = await notebook(t);
    const { text: said, result } = await edit({ cell_id: 'intro', new_source: '# New\n\nText "quoted"\n' });
    assert.equal(result.isError, undefined);
    assert.equal(said, 'Replaced cell intro (number 1 of 2) of a.ipynb.');
    const expected = NOTEBOOK.replace('    "# Title\\n",\n    "Text"\n', () => '    "# New\\n",\n    "\\n",\n    "Text \\"quoted\\"\\n"\n');
    assert.equal(await text(), expected);
  });

  test('a code cell and clears what its former source has put out', async (t) => {
    const { edit, text } = await notebook(t);
    const { text: said } = await edit({ cell_id: 'sum', new_source: '2 + 2' });
    assert.match(said, /outputs were cleared/);
    const expected = NOTEBOOK.replace('"1 + 1"', '"2 + 2"')
      .replace('"execution_count": 3', '"execution_count": null')
      .replace(/"outputs": \[[^]*?\n {3}\]/, '"outputs": []');
    assert.equal(await text(), expected);
  });

  test('the kind of a cell: what only code has comes and goes with it, metadata and id stay', async (t) => {
    const { edit, text } = await notebook(t);
    await edit({ cell_id: 'intro', new_source: 'x = 1', cell_type: 'code' });
    await edit({ cell_id: 'sum', new_source: 'words', cell_type: 'markdown' });
    const { cells } = JSON.parse(await text()) as { cells: unknown[] };
    assert.deepEqual(cells, [
      { cell_type: 'code', id: 'intro', metadata: { tags: ['keep'] }, source: ['x = 1'], execution_count: null, outputs: [] },
      { cell_type: 'markdown', id: 'sum', metadata: {}, source: ['words'], custom: JSON.parse('12345678901234567890') },
    ]);
  });

  test('pictures of a cell that becomes code, which may not have any', async (t) => {
    const cell = '{"attachments": {"a.png": {}}, "cell_type": "markdown", "metadata": {}, "source": "![](attachment:a.png)"}';
    const { edit, text } = await notebook(t, `{"cells": [${cell}], "nbformat": 4, "nbformat_minor": 4}`);
    await edit({ cell_id: 'cell-0', new_source: 'x', cell_type: 'code' });
    assert.equal(
      await text(),
      '{"cells": [{"cell_type": "code", "metadata": {}, "source": "x", "execution_count": null, "outputs": []}], "nbformat": 4, "nbformat_minor": 4}',
    );
  });

  test('nothing where the cell holds just that already, and keeps its outputs', async (t) => {
    const { edit, text } = await notebook(t);
    const { text: said } = await edit({ cell_id: 'sum', new_source: '1 + 1' });
    assert.match(said, /nothing was written/);
    assert.equal(await text(), NOTEBOOK);
  });

  test('cell after cell without reading in between', async (t) => {
    const { edit, text } = await notebook(t);
    await edit({ cell_id: 'sum', new_source: 'a' });
    await edit({ cell_id: 'intro', new_source: 'b' });
    assert.deepEqual(cellsOf(await text()), ['intro markdown b', 'sum code a']);
  });
});

describe('NotebookEdit keeps', () => {
  const compact =
    '{"cells":[{"cell_type":"code","metadata":{},"source":["a\\n","b"],"outputs":[],"execution_count":1}],"nbformat":4,"nbformat_minor":2}';

  test('a file on one line on one line', async (t) => {
    const { edit, text } = await notebook(t, compact);
    await edit({ cell_id: 'cell-0', new_source: 'c\nd\ne' });
    await edit({ edit_mode: 'insert', cell_type: 'markdown', new_source: 'first' });
    assert.equal(
      await text(),
      compact
        .replace('["a\\n","b"]', '["c\\n","d\\n","e"]')
        .replace('"execution_count":1', '"execution_count":null')
        .replace('[{', '[{"cell_type":"markdown","metadata":{},"source":["first"]},{'),
    );
  });

  test('the byte order mark, CRLF, the missing line end and a source that is one string', async (t) => {
    const own = `\uFEFF{\r\n\t"cells": [\r\n\t\t{\r\n\t\t\t"source": "a",\r\n\t\t\t"cell_type": "raw",\r\n\t\t\t"metadata": {}\r\n\t\t}\r\n\t],\r\n\t"nbformat": 4,\r\n\t"nbformat_minor": 4\r\n}`;
    const { edit, path } = await notebook(t, own);
    await edit({ cell_id: 'cell-0', new_source: 'b\nc' });
    const replaced = own.replace('"a"', () => '"b\\nc"');
    assert.deepEqual(await readFile(path), Buffer.from(replaced));
    await edit({ cell_id: 'cell-0', edit_mode: 'insert', cell_type: 'code', new_source: 'd' });
    const added = ['{', '"cell_type": "code",', '"execution_count": null,', '"metadata": {},', '"outputs": [],', '"source": "d"']
      .join('\r\n\t\t\t')
      .concat('\r\n\t\t}');
    assert.deepEqual(await readFile(path), Buffer.from(replaced.replace('\r\n\t\t}\r\n\t]', () => `\r\n\t\t},\r\n\t\t${added}\r\n\t]`)));
  });

  test('escapes in a file that writes all but ASCII as escapes, and plain characters in any other', async (t) => {
    const escaped = await notebook(t, compact.replace('a\\n', '\\u00e9\\n'));
    await escaped.edit({ cell_id: 'cell-0', new_source: 'ö 😀' });
    assert.ok((await escaped.text()).includes('"\\u00f6 \\ud83d\\ude00"'));
    const plain = await notebook(t, compact.replace('a\\n', '\\u001b\\n'));
    await plain.edit({ cell_id: 'cell-0', new_source: 'ö 😀' });
    assert.ok((await plain.text()).includes('"ö 😀"'));
  });

  test('an encoding that has no such characters by escaping them', async (t) => {
    const latin = Buffer.from(compact.replace('a\\n', 'caf\u00e9 et th\u00e9\\n'), 'latin1');
    const { edit, path } = await notebook(t, latin);
    await edit({ cell_id: 'cell-0', edit_mode: 'insert', cell_type: 'markdown', new_source: '→' });
    const after = await readFile(path, 'latin1');
    assert.ok(after.includes('caf\u00e9 et th\u00e9') && after.includes('"\\u2192"'), after);
  });
});

describe('NotebookEdit inserts and deletes', () => {
  test('at the beginning, after a cell and at the end, with ids that are new', async (t) => {
    const { edit, text } = await notebook(t);
    const first = await edit({ edit_mode: 'insert', cell_type: 'markdown', new_source: 'one' });
    assert.match(first.text, /^Inserted markdown cell [\da-f]{8} as number 1 of 3 into a\.ipynb\.$/);
    await edit({ edit_mode: 'insert', cell_id: 'intro', cell_type: 'code', new_source: 'two\nlines' });
    await edit({ edit_mode: 'insert', cell_id: 'sum', cell_type: 'code', new_source: '' });
    const after = await text();
    assert.deepEqual(
      cellsOf(after).map((cell) => cell.replace(/^[\da-f]{8} /, 'new ')),
      ['new markdown one', 'intro markdown # Title\nText', 'new code two\nlines', 'sum code 1 + 1', 'new code '],
    );
    const ids = cellsOf(after).map((cell) => cell.split(' ')[0]);
    assert.equal(new Set(ids).size, 5);
    const [before = '', behind = ''] = NOTEBOOK.split('  {\n   "cell_type": "markdown"');
    assert.ok(after.startsWith(before) && after.endsWith(behind.slice(behind.indexOf('\n ],'))));
    assert.ok(after.includes('   "metadata": {},\n   "outputs": [],\n   "source": [\n    "two\\n",\n    "lines"\n   ]\n  },\n'));
    assert.ok(after.includes('   "source": []\n  }\n ],'));
  });

  test('without ids where the format has none, and says that places have changed', async (t) => {
    const { edit, text } = await notebook(t, NOTEBOOK.replace(/ {3}"id": "\w+",\n/g, '').replace('minor": 5', 'minor": 4'));
    const { text: said } = await edit({ edit_mode: 'insert', cell_id: 'cell-0', cell_type: 'code', new_source: 'x' });
    assert.equal(said, 'Inserted code cell cell-1 as number 2 of 3 into a.ipynb. Cells after it that have no id are now counted anew.');
    assert.deepEqual(cellsOf(await text()), ['- markdown # Title\nText', '- code x', '- code 1 + 1']);
  });

  test('the first, the last and the only cell', async (t) => {
    const { edit, text } = await notebook(t);
    const { text: said } = await edit({ cell_id: 'intro', edit_mode: 'delete' });
    assert.equal(said, 'Deleted cell intro (number 1 of 2) of a.ipynb.');
    const [head = '', rest = ''] = NOTEBOOK.split(/ {2}\{\n {3}"cell_type": "markdown"[^]*? {2}\},\n/);
    assert.equal(await text(), head + rest);
    await edit({ cell_id: 'sum', edit_mode: 'delete', new_source: '' });
    assert.ok((await text()).startsWith('{\n "cells": [],\n "metadata"'));
    await edit({ edit_mode: 'insert', cell_type: 'markdown', new_source: 'again' });
    assert.match(await text(), /^\{\n "cells": \[\n {2}\{\n {3}"cell_type": "markdown",\n[^]*\n {2}\}\n \],\n "metadata"/);
  });
});

describe('NotebookEdit refuses', () => {
  const input = { cell_id: 'sum', new_source: 'x' };

  test('a notebook that was not read, or has changed since, and leaves it alone', async (t) => {
    const { harness, edit, path } = await notebook(t);
    await writeFile(join(harness.workspace, 'b.ipynb'), NOTEBOOK);
    assert.match(
      (await refusalOf(harness.call(NotebookEdit, { notebook_path: 'b.ipynb', ...input }))).message,
      /b\.ipynb has not been read/,
    );
    await writeFile(path, `${NOTEBOOK}\n`);
    assert.match((await refusalOf(edit(input))).message, /a\.ipynb has changed since it was read/);
    assert.equal(await readFile(path, 'utf8'), `${NOTEBOOK}\n`);
  });

  test('a cell that is not there, and says which are; one of two with the same id', async (t) => {
    const { edit } = await notebook(t);
    const missing = await edit({ cell_id: 'summ', new_source: 'x' });
    assert.equal(missing.result.isError, true);
    assert.equal(missing.text, 'There is no cell summ. The cells are: intro, sum.');
    assert.equal((await edit({ cell_id: 'cell-2', new_source: 'x' })).result.isError, true);
    const twice = await notebook(t, NOTEBOOK.replace('"sum"', '"intro"'));
    assert.match((await twice.edit({ cell_id: 'intro', new_source: 'x' })).text, /Several cells have the id intro.*cell-0, cell-1/);
    await twice.edit({ cell_id: 'cell-1', new_source: 'x' });
    assert.deepEqual(cellsOf(await twice.text()), ['intro markdown # Title\nText', 'intro code x']);
  });

  test('what is no notebook of format 4, with what to do instead', async (t) => {
    for (const [content, words] of [
      ['{"cells": [', /not valid JSON.*Edit/],
      ['[1]', /no notebook/],
      ['{"nbformat": 3, "cells": []}', /format 3/],
      ['{"cells": [{"cell_type": "code"}], "nbformat": 4}', /not of the notebook format/],
      [`{"cells": [${'['.repeat(200_001)}`, /too many/],
      [Buffer.from([0x7b, 0, 1]), /not a text file/],
    ] as const) {
      const { edit, path } = await notebook(t, content);
      const { text, result } = await edit({ cell_id: 'cell-0', new_source: 'x' });
      assert.equal(result.isError, true);
      assert.match(text, words);
      assert.deepEqual(await readFile(path), Buffer.from(content));
    }
  });

  test('one that takes too long to take apart', async () => {
    const request = { bytes: Buffer.alloc(1024 * 1024, ' '), input: { notebook_path: 'a.ipynb', cell_id: 'a', new_source: 'x' }, seed: '' };
    assert.deepEqual(await editApart(request, new AbortController().signal, 1), {
      refused: 'takes too much time or memory to edit here. Change it with a command.',
    });
  });

  test('input that does not say what to do', () => {
    const valid = (more: object): unknown => NotebookEdit.validateInput?.({ notebook_path: 'a.ipynb', ...more });
    const messageOf = (more: object): string => (valid(more) as { message?: string }).message ?? 'fine';
    assert.match(messageOf({ notebook_path: 'a.py', cell_id: 'a', new_source: '' }), /Edit for other files/);
    assert.match(messageOf({ new_source: 'x' }), /cell_id is missing/);
    assert.match(messageOf({ cell_id: 'a' }), /new_source is missing/);
    assert.match(messageOf({ edit_mode: 'insert', new_source: 'x' }), /cell_type is missing/);
    assert.match(messageOf({ edit_mode: 'delete', cell_id: 'a', new_source: 'x' }), /leave it out/);
    assert.equal(messageOf({ edit_mode: 'delete', cell_id: 'a' }), 'fine');
  });
});

test('NotebookEdit shows the difference of the cell alone', async (t) => {
  const { edit } = await notebook(t);
  const input = { cell_id: 'intro', new_source: '# Title\nOther' };
  const { result } = await edit(input);
  const view = NotebookEdit.renderResult({ notebook_path: 'a.ipynb', ...input }, result as never);
  assert.equal(view.title, 'Edit cell intro of a.ipynb');
  assert.ok(view.body?.kind === 'diff' && view.body.diff.includes('-Text') && view.body.diff.includes('+Other'));
  assert.ok(!view.body.diff.includes('1 + 1'));
});

toolSuite({
  tool: NotebookEdit,
  input: { notebook_path: 'a.ipynb', cell_id: 'sum', new_source: '2 + 2' },
  furnish: (harness) => putKnownFile(harness, 'a.ipynb', NOTEBOOK),
});

test('a large notebook is edited like a small one, and holds up nobody else', async (t) => {
  const members = Array.from({ length: 200_000 }, (_, index) => `, "m${index}": 1`).join('');
  const content = NOTEBOOK.replace('"id": "intro"', `"id": "intro"${members}`);
  const { edit, text } = await notebook(t, content);
  const before = performance.eventLoopUtilization();
  const { result } = await edit({ cell_id: 'sum', new_source: '2 + 2' });
  const { utilization } = performance.eventLoopUtilization(before);
  assert.equal(result.isError, undefined);
  assert.deepEqual(cellsOf(await text()), ['intro markdown # Title\nText', 'sum code 2 + 2']);
  assert.ok(utilization < 0.5, `the service was busy for ${utilization} of the time`);
});
