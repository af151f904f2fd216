import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { describe, test } from 'node:test';
import type { Sharp } from 'sharp';
import sharp from 'sharp';
import type { ContentBlock } from '../../src/contract/index.ts';
import { toolHarness } from '../../test/support/tool-harness.ts';
import { pdfWith } from '../../test/web-search/fake-pdf.ts';
import { refusalOf } from '../../test/workspace/support/refusal.ts';
import Read from './index.ts';
import type { ReadInput } from './read-file.ts';

interface Reading {
  readonly text: string;
  readonly blocks: ContentBlock[];
}

async function fileWith(
  t: TestContext,
  name: string,
  content: string | Buffer,
): Promise<(range?: Omit<ReadInput, 'file_path'>) => Promise<Reading>> {
  const harness = await toolHarness(t);
  await writeFile(join(harness.workspace, name), content);
  return async (range = {}) => {
    const { text, result } = await harness.call(Read, { file_path: name, ...range });
    return { text, blocks: typeof result.content === 'string' ? [] : result.content };
  };
}

async function messageOf(promise: Promise<unknown>): Promise<string> {
  return (await refusalOf(promise)).message;
}

function picture(width: number, height: number, background = '#3366cc'): Sharp {
  return sharp({ create: { width, height, channels: 4, background } });
}

describe('an image', () => {
  for (const format of ['png', 'jpeg', 'gif', 'webp'] as const) {
    test(`in ${format} that is small enough is shown as it is, whatever its name`, async (t) => {
      const bytes = await picture(40, 30).toFormat(format).toBuffer();
      const read = await fileWith(t, 'image.txt', bytes);
      assert.deepEqual((await read()).blocks, [
        { type: 'image', source: { type: 'base64', media_type: `image/${format}`, data: bytes.toString('base64') } },
      ]);
      assert.match((await read()).text, /^Unchanged/);
    });
  }

  test('that is large is scaled down to 1,568 pixels and says so', async (t) => {
    const read = await fileWith(t, 'large.png', await picture(4000, 1000).png().toBuffer());
    const [image, note] = (await read()).blocks;
    assert.ok(image?.type === 'image' && note?.type === 'text');
    const { width, height } = await sharp(Buffer.from(image.source.data, 'base64')).metadata();
    assert.deepEqual([width, height], [1568, 392]);
    assert.match(note.text, /4,000 × 1,000 pixels/);
  });

  test('in a format that models do not take becomes one that they do', async (t) => {
    const read = await fileWith(t, 'scan.tiff', await picture(20, 20).flatten().tiff().toBuffer());
    const [image] = (await read()).blocks;
    assert.ok(image?.type === 'image');
    assert.match(image.source.media_type, /^image\/(jpeg|png)$/);
  });

  test('whose bytes stay many even when scaled is sent with less quality', async (t) => {
    const noise = Buffer.from(Array.from({ length: 1500 * 1500 * 3 }, (_, index) => (index * 2_654_435_761) >>> 13));
    const read = await fileWith(
      t,
      'noise.png',
      await sharp(noise, { raw: { width: 1500, height: 1500, channels: 3 } })
        .png()
        .toBuffer(),
    );
    const [image] = (await read()).blocks;
    assert.ok(image?.type === 'image');
    assert.ok(image.source.data.length < 5_000_000, `${image.source.data.length} characters`);
  });

  test('that is damaged is refused', async (t) => {
    const bytes = await picture(40, 30).png().toBuffer();
    const read = await fileWith(t, 'broken.png', bytes.subarray(0, 60));
    assert.match(await messageOf(read()), /broken\.png could not be decoded as an image/);
  });
});

describe('a PDF', () => {
  const book = pdfWith(Array.from({ length: 25 }, (_, index) => `Text of page ${index + 1}`));

  test('is shown as the text of its pages', async (t) => {
    const read = await fileWith(t, 'two.pdf', pdfWith(['First page', 'Second page']));
    assert.equal((await read()).text, 'Page 1 of 2\n\nFirst page\n\nPage 2 of 2\n\nSecond page');
    assert.match((await read()).text, /^Unchanged/);
  });

  test('is shown by the pages asked for', async (t) => {
    const read = await fileWith(t, 'book.pdf', book);
    assert.match((await read({ pages: '3' })).text, /^Page 3 of 25\n\nText of page 3\n\n\[Partial: these are pages 3 to 3 of 25\./);
    assert.match(
      (await read({ pages: '24-' })).text,
      /^Page 24 of 25[^]*Text of page 25\n\n\[Partial: these are pages 24 to 25 of 25\.\]$/,
    );
    assert.match(await messageOf(read({ pages: '26' })), /has 25 pages: there is no page 26/);
  });

  test('of many pages is shown by its first twenty, and says how to read on', async (t) => {
    const { text } = await (await fileWith(t, 'book.pdf', book))();
    assert.match(text, /Text of page 20\n\n\[Partial: these are pages 1 to 20 of 25\. Read on with pages "21-25"\.\]$/);
  });

  test('without text is handed on as it is', async (t) => {
    const bytes = pdfWith(['']);
    assert.deepEqual((await (await fileWith(t, 'scan.pdf', bytes))()).blocks, [
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: bytes.toString('base64') }, title: 'scan.pdf' },
    ]);
  });

  test('that is damaged is refused', async (t) => {
    assert.match(await messageOf((await fileWith(t, 'bad.pdf', '%PDF-1.4\nnothing'))()), /bad\.pdf is damaged/);
  });

  test('is given up on when the call is stopped, before or meanwhile', async (t) => {
    const harness = await toolHarness(t);
    await writeFile(join(harness.workspace, 'book.pdf'), book);
    const meanwhile = new AbortController();
    const calls = [AbortSignal.abort(), meanwhile.signal].map((signal) => harness.call(Read, { file_path: 'book.pdf' }, { signal }));
    // Starting the thread alone takes far longer than this.
    setTimeout(() => meanwhile.abort(), 10);
    for (const message of await Promise.all(calls.map(messageOf))) assert.match(message, /takes too long/);
    assert.equal(harness.files.remembered(join(harness.workspace, 'book.pdf')), undefined);
  });
});

describe('a notebook', () => {
  const cell = (number: number) => ({ cell_type: 'code', id: `c${number}`, source: [`x = ${number}\n`, 'x'], outputs: [] });
  const notebook = (cells: unknown[]): string => JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells });

  test('is shown as cells with their outputs', async (t) => {
    const plot = (await picture(10, 10).png().toBuffer()).toString('base64');
    const read = await fileWith(
      t,
      'a.ipynb',
      notebook([
        { cell_type: 'markdown', id: 'intro', source: '# Title' },
        {
          ...cell(1),
          outputs: [
            { output_type: 'stream', name: 'stdout', text: ['printed\n', 'lines'] },
            { output_type: 'execute_result', data: { 'text/plain': ['42'] }, execution_count: 1, metadata: {} },
            { output_type: 'display_data', data: { 'image/png': plot, 'text/plain': ['<Figure>'] }, metadata: {} },
            { output_type: 'error', ename: 'NameError', evalue: 'x is not defined', traceback: ['\u001B[31mline 1\u001B[0m'] },
            { output_type: 'display_data', data: { 'application/vnd.widget': {} }, metadata: {} },
          ],
        },
      ]),
    );
    const { blocks } = await read();
    assert.deepEqual(
      blocks.map((block) => block.type),
      ['text', 'image', 'text'],
    );
    const [before, , after] = blocks;
    assert.ok(before?.type === 'text' && after?.type === 'text');
    assert.match(before.text, /<cell number="1" id="intro" type="markdown">\n# Title\n<\/cell>/);
    assert.match(
      before.text,
      /<cell number="2" id="c1" type="code">\nx = 1\nx\n<\/cell>\n<output cell="2">\nprinted\nlines\n<\/output>\n<output cell="2">\n42\n/,
    );
    assert.match(after.text, /NameError: x is not defined\nline 1\n[^]*application\/vnd\.widget/);
  });

  test('of many cells is shown by the cells asked for', async (t) => {
    const read = await fileWith(t, 'a.ipynb', notebook(Array.from({ length: 9 }, (_, index) => cell(index + 1))));
    const { text } = await read({ offset: 4, limit: 2 });
    assert.deepEqual(text.match(/id="c\d"/g), ['id="c4"', 'id="c5"']);
    assert.match(text, /\[Partial: these are cells 4 to 5 of 9\. Read on with offset 6\.\]$/);
    assert.match((await read({ offset: 10 })).text, /past the end: the notebook has 9 cells/);
  });

  test('with a long output has it cut', async (t) => {
    const output = { output_type: 'stream', name: 'stdout', text: 'z'.repeat(50_000) };
    const { text } = await (await fileWith(t, 'a.ipynb', notebook([{ ...cell(1), outputs: [output] }])))();
    assert.ok(text.length < 12_000);
    assert.match(text, /The rest of this output is cut/);
  });

  test('that is none is shown as the text it is', async (t) => {
    assert.equal((await (await fileWith(t, 'a.ipynb', '{"cells": 1}'))()).text, '1\t{"cells": 1}');
    assert.match((await (await fileWith(t, 'a.ipynb', notebook([])))()).text, /no cells/);
  });

  test('with a cell that is not of the format still shows the others', async (t) => {
    const { text } = await (await fileWith(t, 'a.ipynb', notebook([cell(1), {}, cell(3)])))();
    assert.match(text, /<cell number="1"[\s\S]*Cell 2 is not of the notebook format[\s\S]*<cell number="3"/);
  });

  test('of a million empty cells is shown as text, without being taken apart', async (t) => {
    const before = process.memoryUsage().rss;
    const { text } = await (await fileWith(t, 'a.ipynb', `{"cells":[${'{},'.repeat(1_000_000)}{}]}`))({ limit: 1 });
    assert.match(text, /^1\t\{"cells":\[\{\}/);
    assert.ok(process.memoryUsage().rss - before < 300_000_000);
  });
});
