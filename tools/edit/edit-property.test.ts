// Edit changes exactly what was asked and nothing else, whatever the bytes around it are.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { detectEncoding } from '../../src/workspace/content/detect-encoding.ts';
import { toolHarness } from '../../test/support/tool-harness.ts';
import { putKnownFile } from '../../test/workspace/support/known-file.ts';
import Edit from './index.ts';

const ENCODINGS = [
  { name: 'utf8', addBOM: false },
  { name: 'utf8', addBOM: true },
  { name: 'utf16le', addBOM: true },
  { name: 'utf16be', addBOM: true },
  { name: 'latin1', addBOM: false },
] as const;

const encoding = fc.constantFrom(...ENCODINGS);
const lineEnd = fc.constantFrom('\n', '\r\n');
/** Characters that every one of the encodings can hold. */
const word = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\t', '$', '\\', '.', '*', 'é', 'ß'), maxLength: 12 });
const line = fc.record({ text: word, end: lineEnd });

test('Edit on text of any encoding and line endings changes the asked lines and not one byte more', async (t) => {
  const harness = await toolHarness(t);
  const path = join(harness.workspace, 'file');
  const property = fc.asyncProperty(
    encoding,
    fc.array(line, { maxLength: 6 }),
    fc.array(line, { minLength: 1, maxLength: 3 }),
    fc.array(line, { maxLength: 6 }),
    fc.array(word, { maxLength: 3 }),
    async ({ name, addBOM }, head, middle, tail, replacement) => {
      const raw = (lines: readonly { text: string; end: string }[]): string => lines.map(({ text, end }) => text + end).join('');
      const encode = (text: string): Buffer => iconv.encode(text, name, { addBOM });
      const [first] = middle;
      // The marks make the place unique and keep its first and last line out of what both texts share.
      const before = `${raw(head)}<1>${raw(middle)}<2>${raw(tail)}`;
      const after = `${raw(head)}<3>${replacement.map((text) => text + (first?.end ?? '')).join('')}<4>${raw(tail)}`;
      const bytes = encode(before);
      // Without letters beyond ASCII it is UTF-8, with a few of them perhaps another encoding: what is guessed is not the matter here.
      fc.pre(name !== 'latin1' || detectEncoding(bytes)?.name === 'ISO-8859-1');
      await putKnownFile(harness, 'file', bytes);
      const { result, text } = await harness.call(Edit, {
        file_path: path,
        old_string: `<1>${middle.map((one) => `${one.text}\n`).join('')}<2>`,
        new_string: `<3>${replacement.map((one) => `${one}\n`).join('')}<4>`,
      });
      assert.notEqual(result.isError, true, text);
      assert.deepEqual(await readFile(path), encode(after));
    },
  );
  await fc.assert(property, { numRuns: 150 });
});

test('Edit on random bytes leaves every byte around the asked place as it was', async (t) => {
  const harness = await toolHarness(t);
  const path = join(harness.workspace, 'file');
  // Bytes that begin like a mark, or hold NUL, are another encoding or no text at all.
  const noise = fc
    .uint8Array({ min: 1, maxLength: 60 })
    .map((array) => Buffer.from(array))
    .filter((bytes) => (bytes[0] ?? 0) < 0xfe);
  let edited = 0;
  const property = fc.asyncProperty(noise, noise, async (head, tail) => {
    const around = (text: string): Buffer => Buffer.concat([head, Buffer.from(`\n\n${text}\n\n`), tail]);
    await putKnownFile(harness, 'file', around('MARK-HERE'));
    const { result, text } = await harness.call(Edit, { file_path: path, old_string: 'MARK-HERE', new_string: 'changed to this' });
    assert.notEqual(result.isError, true, text);
    assert.deepEqual(await readFile(path), around('changed to this'));
    edited += 1;
  });
  await fc.assert(property, { numRuns: 300 });
  assert.ok(edited >= 300);
});
