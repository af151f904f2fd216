import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { boundText, describeCut, emptyResultText, headOf, tailOf } from '../../src/engine/bound-output.ts';

describe('the text of a result', () => {
  test('within the limit is given whole', () => {
    for (const limit of [5, 6, Infinity]) assert.deepEqual(boundText('12345', limit), { text: '12345', cut: false, totalChars: 5 });
    assert.deepEqual(boundText('', 0), { text: '', cut: false, totalChars: 0 });
  });

  test('over the limit is cut to its head, and says how long it was', () => {
    assert.deepEqual(boundText('12345', 4), { text: '1234', cut: true, totalChars: 5 });
    assert.deepEqual(boundText('12345', 0), { text: '', cut: true, totalChars: 5 });
    assert.deepEqual(boundText('12345', -1), { text: '', cut: true, totalChars: 5 });
  });

  test('is never cut inside a surrogate pair', () => {
    assert.deepEqual(boundText('a😀b', 2), { text: 'a', cut: true, totalChars: 4 });
    assert.deepEqual(boundText('a😀b', 3), { text: 'a😀', cut: true, totalChars: 4 });
    assert.equal(boundText('\uD800ab', 1).text, '\uD800');
  });

  test('has a head and a tail of the length asked for, or one less', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat({ max: 12 }), (text, limit) => {
        for (const [part, whole] of [
          [headOf(text, limit), text.slice(0, limit)],
          [tailOf(text, limit), text.slice(Math.max(0, text.length - limit))],
        ] as const) {
          assert.ok(part.isWellFormed());
          assert.ok(whole.includes(part) && whole.length - part.length <= 1);
          assert.equal(part.length === whole.length, whole.isWellFormed());
        }
      }),
    );
  });
});

describe('notes for the model', () => {
  test('a cut tells what is shown, how much there is, where, and who may open it', () => {
    const note = describeCut({ shownChars: 30_000, totalBytes: 123_456, path: '/s/outputs/t1-3.txt' });
    for (const part of ['30000 characters', '123456 bytes', '/s/outputs/t1-3.txt', 'Read may open']) assert.ok(note.includes(part), note);
  });

  test('a cut that kept more than the head does not claim to show the first characters', () => {
    const note = describeCut({ totalBytes: 123_456, path: '/s/outputs/t1-3.txt' });
    assert.match(note, /^\[Not all of it is shown\. The whole output, 123456 bytes, is in \/s\/outputs\/t1-3\.txt\. Read may open/);
  });

  test('an empty result says that it is empty', () => assert.equal(emptyResultText('Bash'), 'Bash finished without output.'));
});
