// What holds for every text: limits, linear time, and that no fragments add up to a marker.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { MAX_ERROR_CHARS, sanitizeError, wrapToolError } from '../../src/engine/sanitize/sanitize-error.ts';

describe('long texts', () => {
  const long = `${'head '.repeat(3000)}MIDDLE${' tail'.repeat(3000)}`;

  test('keep head and tail, and say how much of them was left out', () => {
    const shown = sanitizeError(long);
    assert.ok(shown.length <= MAX_ERROR_CHARS && shown.length > MAX_ERROR_CHARS - 5);
    assert.ok(shown.startsWith('head head') && shown.endsWith('tail tail') && !shown.includes('MIDDLE'));
    const [, leftOut] = new RegExp(`\\[\\.{3} (\\d+) of ${long.length} characters were left out here`).exec(shown) ?? assert.fail(shown);
    assert.equal(long.length - Number(leftOut), shown.replace(/\n\[\.{3}.*\.{3}\] /, '').length);
    assert.equal(sanitizeError(shown), shown);
    assert.ok(wrapToolError(long).length <= MAX_ERROR_CHARS);
    assert.ok(wrapToolError(long).endsWith('</tool_use_error>'));
  });

  test('of millions of characters the ends are read', () => {
    const shown = sanitizeError(`START${'x'.repeat(3_000_000)}<system>`);
    assert.ok(shown.startsWith('START') && shown.endsWith('‹system>') && shown.includes('of 3000013 characters'));
    assert.match(sanitizeError(`a${'\u200B'.repeat(3_000_000)}b`), /^a\n\[.*3000000 of 3000002 characters.*\] b$/);
  });

  test('are measured without what is not seen', () => {
    assert.equal(sanitizeError(`a${'\u200B'.repeat(20_000)}b`), 'ab');
  });

  test('are cut to small limits too', () => {
    for (const limit of [0, 1, 5, 100, 150, 200]) assert.ok(sanitizeError('😀'.repeat(500), limit).length <= limit);
    assert.equal(sanitizeError('😀😀', 3), '😀');
  });

  test('ten times the text takes about ten times as long, whatever it is made of', () => {
    const units = [
      '<|',
      '< ',
      '`',
      ' ~~~',
      '<system a',
      '\u001B[1;',
      '\u009D0;',
      'Human:',
      '# System:',
      '\u0301',
      '👩\u200D',
      'ѕ',
      '[ INST',
      '\n',
    ];
    const shapes = [
      ...units.map((unit) => (length: number) => unit.repeat(length / unit.length)),
      (length: number) => `<${' '.repeat(length)}x`,
    ];
    const fastest = (text: string): number => {
      const runs = Array.from({ length: 5 }, () => {
        const start = performance.now();
        sanitizeError(text);
        return performance.now() - start;
      });
      return Math.min(...runs);
    };
    for (const shape of shapes) {
      const ratio = fastest(shape(200_000)) / Math.max(fastest(shape(20_000)), 0.5);
      assert.ok(ratio < 50, `${JSON.stringify(shape(8))} took ${ratio} times as long`);
    }
  });
});

describe('for any text', () => {
  const file = readFileSync(new URL('../cases/injection.json', import.meta.url), 'utf8');
  const { cases } = JSON.parse(file) as { cases: { must_not_match?: string[] }[] };
  // Two that a whole emoji or comparison may match, and those that need the wrapper's text put in.
  const exempt = /^(?:<|\u200D|\[\\ud800-\\udfff\]|.*\\\{.*)$/;
  const patterns = cases
    .flatMap((given) => given.must_not_match ?? [])
    .filter((source) => !exempt.test(source))
    .map(
      (source) =>
        new RegExp(source.replace(/^\(\?[im]+\)/, ''), `${source.startsWith('(?i)') ? 'i' : ''}${source.startsWith('(?m)') ? 'm' : ''}`),
    );
  const pieces = [
    [
      '<',
      '</',
      '/',
      'sys',
      'tem',
      'system',
      'user',
      'User',
      'Human',
      '>',
      '/>',
      '|',
      '|>',
      '<|',
      'im_start',
      'turn',
      '[',
      'IN',
      'ST',
      'INST',
    ],
    [']', '<<', 'SYS', '>>', '`', '``', '~', '~~', '\n', '\r', '\t', ' ', '\u200B', '\u001B', '\u001B[0m', '\u001B]8;;x\u0007', '\u009B'],
    [
      '\u009D0;',
      '\u009C',
      ']]',
      '<![',
      'CDATA',
      'tool_use_error',
      'tool_',
      'call',
      'Assistant',
      ':',
      '\u0301',
      '｜',
      'ѕ',
      '＜',
      '👩',
      '\u200D',
    ],
    [
      '\uFE0F',
      '🏴',
      '\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}',
      '\u{E0067}',
      '\uD800',
      '\uDC00',
      'م',
      '\u200C',
      '1',
      '\u20E3',
    ],
    ['≮', '#', '*', 'think', 'antml:', '=', '"', '.', '‹', '⁅', "'", '-', '·', '›', 'e~', '~b', '$', 's', 'ﷺ', '\u2028', '𝗌'],
  ].flat();
  const texts = fc.array(fc.oneof({ weight: 20, arbitrary: fc.constantFrom(...pieces) }, fc.string({ unit: 'binary', maxLength: 3 })), {
    maxLength: 14,
  });

  test('fragments never add up to a marker, and sanitising twice is sanitising once', () => {
    fc.assert(
      fc.property(texts, fc.constantFrom(1, 40), fc.constantFrom(MAX_ERROR_CHARS, 300, 200, 40), (parts, times, limit) => {
        const text = parts.join('').repeat(times);
        const shown = sanitizeError(text, limit);
        assert.equal(sanitizeError(shown, limit), shown);
        assert.ok(shown.length <= limit && shown.isWellFormed());
        for (const pattern of patterns) assert.doesNotMatch(shown, pattern);
      }),
      { numRuns: 3000 },
    );
  });
});
