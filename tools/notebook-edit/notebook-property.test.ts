// NotebookEdit changes one cell, whatever the text of the notebook looks like: all other cells and fields keep their bytes.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import fc from 'fast-check';
import { toolHarness } from '../../test/support/tool-harness.ts';
import { putKnownFile } from '../../test/workspace/support/known-file.ts';
import NotebookEdit from './index.ts';

const blank = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r\n'), maxLength: 3 });
/** Values as text, many of which no parser would write again in the same way. */
const literal = fc.constantFrom(
  '12345678901234567890',
  '1.0',
  '1e5',
  '-0',
  'true',
  'null',
  '"\\u00e9\\/"',
  '"]}\\\\"',
  '"\\"[{,"',
  '{}',
  '[ ]',
  '[1 ,[2]]',
);
const text = fc.string({ unit: fc.constantFrom('a', '\n', '"', '\\', '{', ']', 'é', '😀', ','), maxLength: 12 });

/** A cell as text, with blanks wherever JSON allows some. */
const cell = fc
  .record({ code: fc.boolean(), source: text, list: fc.boolean(), extra: literal, gap: blank })
  .map(({ code, source, list, extra, gap }) => {
    const members = [
      ['cell_type', code ? '"code"' : '"markdown"'],
      ['metadata', '{}'],
      ['x', extra],
      [
        'source',
        list
          ? `[${gap}${(source.match(/[^\n]*\n|[^\n]+$/g) ?? []).map((line) => JSON.stringify(line)).join(`${gap},${gap}`)}]`
          : JSON.stringify(source),
      ],
      ...(code
        ? [
            ['outputs', '[1]'],
            ['execution_count', '7'],
          ]
        : []),
    ];
    return `{${members.map(([name, value]) => `${gap}"${name}"${gap}:${gap}${value}${gap}`).join(',')}}`;
  });

const edit = fc.record({
  mode: fc.constantFrom('replace' as const, 'insert' as const, 'delete' as const),
  at: fc.nat(),
  source: text,
  type: fc.constantFrom('code' as const, 'markdown' as const),
});

test('NotebookEdit keeps every byte of the cells and fields that it was not asked to change', async (t) => {
  const harness = await toolHarness(t);
  const property = fc.asyncProperty(
    fc.array(cell, { minLength: 1, maxLength: 5 }),
    fc.record({ gap: blank, head: literal, tail: literal, end: blank }),
    edit,
    async (cells, { gap, head, tail, end }, { mode, at, source, type }) => {
      const index = at % cells.length;
      const notebook = (all: readonly string[]): string =>
        `{${gap}"head"${gap}:${gap}${head},${gap}"cells"${gap}:${gap}[${all.map((each) => `${gap}${each}${gap}`).join(',')}],${gap}"tail":${tail}${gap}}${end}`;
      const path = await putKnownFile(harness, 'a.ipynb', notebook(cells));
      const { result } = await harness.call(NotebookEdit, {
        notebook_path: 'a.ipynb',
        cell_id: `cell-${index}`,
        ...(mode !== 'delete' && { new_source: source }),
        ...(mode === 'insert' && { cell_type: type }),
        edit_mode: mode,
      });
      assert.equal(result.isError, undefined);
      const after = await readFile(path, 'utf8');
      const others = mode === 'insert' ? cells : cells.filter((_, each) => each !== index);
      const before = mode === 'insert' ? index + 1 : index;
      assert.ok(after.startsWith(`{${gap}"head"${gap}:${gap}${head},${gap}"cells"${gap}:${gap}[`));
      assert.ok(after.endsWith(`],${gap}"tail":${tail}${gap}}${end}`));
      let from = 0;
      for (const other of others) {
        from = after.indexOf(other, from);
        assert.notEqual(from, -1, `lost ${other} in ${after}`);
        from += other.length;
      }
      const parsed = JSON.parse(after) as { cells: { source: string | string[]; outputs?: unknown; cell_type: string }[] };
      assert.equal(parsed.cells.length, others.length + (mode === 'delete' ? 0 : 1));
      const kept = parsed.cells.toSpliced(before, mode === 'delete' ? 0 : 1);
      assert.deepEqual(
        kept,
        others.map((other) => JSON.parse(other)),
      );
      const changed = mode === 'delete' ? undefined : parsed.cells[before];
      if (changed !== undefined) assert.equal(Array.isArray(changed.source) ? changed.source.join('') : changed.source, source);
    },
  );
  await fc.assert(property, { numRuns: 100 });
});
