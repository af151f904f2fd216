// What someone outside of the service is told of content that is wrong.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { ResultContentSchema } from '../../src/contract/index.ts';

const Answer = z.object({ content: ResultContentSchema });
const text = { type: 'text', text: 'x' };
const file = (type: string, source: unknown, more: object = {}): object => ({ type, source, ...more });
const png = { type: 'base64', media_type: 'image/png', data: 'aGk=' };
const pdf = { ...png, media_type: 'application/pdf' };

describe('Content of a result', () => {
  test('is text, or blocks, of which unknown keys are left out', () => {
    for (const content of ['', 'x', [], [text, file('image', png), file('document', pdf, { title: 'The report' })]])
      assert.deepEqual(Answer.parse({ content }), { content });
    assert.deepEqual(Answer.parse({ content: [{ ...text, cache_control: {} }] }), { content: [text] });
  });

  const WHOLE = 'content: Give text, or an array of blocks. A block is of type text, image or document.';
  for (const [what, content, told] of [
    ['a number', 5, [WHOLE]],
    ['nothing', undefined, [WHOLE]],
    ['a block without a list', text, [WHOLE]],
    ['a text as a block', ['x'], ['content.0: A block is of type text, image or document.']],
    ['a block of another type', [text, { type: 'audio' }], ['content.1.type: A block is of type text, image or document.']],
    ['a text block without text', [{ type: 'text' }], ['content.0.text: Give a string.']],
    [
      'an image of another type, not in base64',
      [text, text, file('image', { ...png, media_type: 'image/bmp', data: '?' })],
      ['content.2.source.media_type: Give image/png, image/jpeg, image/gif or image/webp.', 'content.2.source.data: Give base64 data.'],
    ],
    ['an image as a document', [file('document', png)], ['content.0.source.media_type: Give application/pdf.']],
    ['the URL of an image', [file('image', { ...png, type: 'url' })], ['content.0.source.type: Give base64: a file is sent as its data.']],
    ['a file without a source', [file('image', null)], ['content.0.source: Give an object with type, media_type and data.']],
    ['a long title', [file('document', pdf, { title: 'x'.repeat(501) })], ['content.0.title: At most 500 characters.']],
    ['many blocks', Array.from({ length: 101 }, () => text), ['content: At most 100 blocks.']],
    ['two wrong blocks', [{ type: 'text' }, text, file('image', null)], ['content.0.text', 'content.2.source']],
  ] as const) {
    test(`that is ${what} is refused with the place and what to give there`, () => {
      const issues = Answer.safeParse({ content }).error?.issues ?? [];
      const lines = issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
      assert.equal(lines.length, told.length);
      for (const [index, line] of lines.entries()) assert.ok(line.startsWith(told[index] ?? '-'), line);
    });
  }
});
