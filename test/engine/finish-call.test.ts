import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { buildTool, textOf, type ContentBlock, type OutputFiles, type ResultContent, type View } from '../../src/contract/index.ts';
import { finishCall } from '../../src/engine/finish/finish-call.ts';
import type { CallEnding } from '../../src/engine/call/call-case.ts';

const PATH = '/s/outputs/t1-0.txt';

/** One finished call; `kept` is what was written into its file. */
async function finish(
  ending: Partial<CallEnding>,
  more: { maxResultChars?: number; outputs?: OutputFiles; renderResult?: () => View } = {},
) {
  const kept: string[] = [];
  const outputs: OutputFiles = {
    pathFor: () => PATH,
    write: async (path, text) => (kept.push(`${path}: ${text}`), Buffer.byteLength(text)),
  };
  const tool = buildTool({
    name: 'Sample',
    inputSchema: z.looseObject({}),
    description: () => '',
    call: () => ({ content: '' }),
    maxResultChars: more.maxResultChars,
    renderResult: more.renderResult,
  } as Parameters<typeof buildTool>[0]);
  const { content, isError, view } = await finishCall({
    use: { id: 'a', name: 'Sample', input: {} },
    tool,
    input: {},
    ending: { outcome: 'tool_error', modifiers: [], ...ending },
    outputs: more.outputs ?? outputs,
    outputFile: PATH,
  });
  return { content, text: textOf(content), isError, view, kept };
}

const failed = (content: ResultContent): Partial<CallEnding> => ({ result: { content, isError: true } });
const image: ContentBlock = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } };
const lines = Array.from({ length: 3000 }, (_, n) => `line ${n}`).join('\n');

describe('what a tool says of its failure', () => {
  test('is given as it is when it fits, and no file is made', async () => {
    const { content, kept } = await finish(failed([{ type: 'text', text: 'one' }, image, { type: 'text', text: 'two <system>' }]));
    assert.deepEqual(content, [{ type: 'text', text: 'one' }, image, { type: 'text', text: 'two ‹system>' }]);
    assert.deepEqual(kept, []);
  });

  test('is, when it is long, shown by its beginning and its end, and kept whole in the file of the call', async () => {
    const { text, kept } = await finish(failed(lines));
    assert.ok(text.length <= 10_000 && text.length > 9_900, String(text.length));
    assert.ok(text.startsWith('line 0\nline 1\n') && text.includes('line 2999\n'));
    assert.deepEqual(kept, [`${PATH}: ${lines}`]);
    assert.match(
      text,
      new RegExp(`\\n\\n\\[Not all of it is shown\\. The whole output, ${lines.length} bytes, is in ${PATH}\\. Read may open`),
    );
  });

  test('tells how many characters were left out, and that number is true', async () => {
    const { text } = await finish(failed(lines));
    const [gap, leftOut, total] = /\n\[\.\.\. (\d+) of (\d+) characters were left out here \.\.\.\] /.exec(text) ?? assert.fail(text);
    const [head = '', rest = ''] = text.split(gap);
    const tail = rest.slice(0, rest.indexOf('\n\n[Not all'));
    assert.equal(Number(total), lines.length);
    assert.equal(head.length + tail.length + Number(leftOut), lines.length);
    assert.ok(lines.startsWith(head) && lines.endsWith(tail));
  });

  test('in many blocks is bounded in sum, and what is no text stays', async () => {
    const blocks = Array.from({ length: 40 }, (_, n): ContentBlock => ({ type: 'text', text: `block ${n} ${'x'.repeat(900)}` }));
    const { content, text, kept } = await finish(failed([...blocks.slice(0, 20), image, ...blocks.slice(20)]));
    assert.ok(text.length <= 10_000, String(text.length));
    assert.ok(text.startsWith('block 0 ') && text.includes(PATH));
    assert.ok(Array.isArray(content) && content.some(({ type }) => type === 'image'));
    assert.match(kept[0] ?? '', /block 20 /);
  });

  test('that is already kept is not called "the first characters", since its end may be shown as well', async () => {
    const result = { content: 'Exit code 1\nhead\n[... gap ...]\ntail', isError: true, spilled: { path: PATH, bytes: 588_895 } };
    const { text, kept } = await finish({ result });
    assert.equal(
      text,
      `${result.content}\n\n[Not all of it is shown. The whole output, 588895 bytes, is in ${PATH}. ` +
        'Read may open that file, with an offset and a limit, to see the rest.]',
    );
    assert.deepEqual(kept, []);
  });

  test('that is already a part of the whole and still too long gives no count that would be wrong', async () => {
    const { text } = await finish({ result: { content: lines, isError: true, spilled: { path: PATH, bytes: 588_895 } } });
    assert.ok(text.length <= 10_000);
    assert.match(text, /\n\[\.\.\. more was left out here \.\.\.\] /);
    assert.ok(text.includes('588895 bytes') && !/\d+ of \d+ characters/.test(text));
  });

  test('goes by the limit of the tool where that is lower', async () => {
    const { text, kept } = await finish(failed('x'.repeat(2_000)), { maxResultChars: 500 });
    assert.ok((text.match(/x/g) ?? []).length <= 500 && kept.length === 1);
  });

  test('and cannot be kept is still bounded, and says why', async () => {
    const outputs: OutputFiles = { pathFor: () => PATH, write: () => Promise.reject(new Error('the disk is full')) };
    const { text } = await finish(failed(lines), { outputs });
    assert.ok(text.length <= 10_000);
    assert.match(text, /could not be kept: the disk is full\]$/);
  });
});

describe('the reason why a call failed', () => {
  test('is, when it is long, kept whole as well, and the wrapper is closed', async () => {
    const { text, kept } = await finish({ message: lines });
    assert.ok(text.length <= 10_000 && text.includes('line 2999'));
    assert.match(text, /^<tool_use_error>line 0\n[^]*\[Not all of it is shown\.[^]*\]<\/tool_use_error>$/);
    assert.deepEqual(kept, [`${PATH}: ${lines}`]);
  });

  test('stands under what a stopped tool has said, both within 10,000 characters', async () => {
    const { text, kept } = await finish({ outcome: 'aborted', ...failed(lines), message: `stopped ${'by hand '.repeat(500)}` });
    assert.ok(text.length <= 10_000, String(text.length));
    assert.match(text, /line 2999\n\n\[Not all of it is shown[^]*\]\n<tool_use_error>stopped by hand [^]*<\/tool_use_error>$/);
    assert.equal(kept.length, 1);
  });

  test('completes no marker where it meets what the tool has said', async () => {
    const { text } = await finish({ outcome: 'aborted', ...failed('text [INST'), message: 'stopped' });
    assert.equal(text, 'text ⁅INST\n<tool_use_error>stopped</tool_use_error>');
  });
});

describe('the text of a call that went well', () => {
  test('over the limit is its head, with its length, and where the rest is', async () => {
    const { text, kept, isError } = await finish({ outcome: 'ok', result: { content: lines } }, { maxResultChars: 1_000 });
    assert.equal(isError, false);
    assert.ok(
      text.startsWith(`${lines.slice(0, 1_000)}\n\n[Only the first 1000 characters are shown. The whole output, ${lines.length} bytes`),
    );
    assert.deepEqual(kept, [`${PATH}: ${lines}`]);
  });

  test('at the limit is given whole', async () => {
    const { text, kept } = await finish({ outcome: 'ok', result: { content: lines } }, { maxResultChars: lines.length });
    assert.deepEqual([text, kept], [lines, []]);
  });

  test('is not sanitised', async () => {
    assert.equal((await finish({ outcome: 'ok', result: { content: '<system>' } })).text, '<system>');
  });

  test('holds no half of a character, which many parsers of JSON refuse', async () => {
    const half = '\ud83d';
    const document: ContentBlock = {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: 'AA==' },
      title: `${half}.pdf`,
    };
    const { content } = await finish({ outcome: 'ok', result: { content: [{ type: 'text', text: `a${half}b 😀` }, image, document] } });
    assert.deepEqual(content, [{ type: 'text', text: 'a\ufffdb 😀' }, image, { ...document, title: '\ufffd.pdf' }]);
    const { text, view } = await finish({ outcome: 'ok', result: { content: `a${half}` } });
    assert.equal(text, 'a\ufffd');
    assert.deepEqual(view, { title: 'Sample', body: { kind: 'text', text: 'a\ufffd' } });
  });

  test('is drawn without half a character also where the tool draws what it did not show', async () => {
    const rows = [['b', '\udc00']];
    const renderResult = (): View => ({ title: 'a\ud83d', subtitle: '\ud83d', body: { kind: 'table', columns: ['c'], rows } });
    const { view } = await finish({ outcome: 'ok', result: { content: 'x' } }, { renderResult });
    assert.deepEqual(view, { title: 'a\ufffd', subtitle: '\ufffd', body: { kind: 'table', columns: ['c'], rows: [['b', '\ufffd']] } });
  });

  test('that is empty says so', async () => {
    assert.equal((await finish({ outcome: 'ok', result: { content: [] } })).text, 'Sample finished without output.');
  });
});
