import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { conformanceFaults, faultsOfPage, rulesOf, testNames } from '../scripts/check-conformance.ts';

describe('the page on conformance', () => {
  test('names tests that exist, or a reason, for every rule', () => {
    assert.deepEqual(faultsOfPage(), []);
  });
});

describe('the check of the page', () => {
  const page = [
    '# Page',
    'Words.',
    '- A rule',
    '  of two lines.',
    '  `a.test.ts` › it’s "kept", once',
    '  `b.test.ts` › there is ${what}',
    '',
    '- Another.',
    '  Without a test: it cannot be seen.',
  ].join('\n');
  const sources: Record<string, string> = {
    'a.test.ts': `describe('x', () => { test('it’s "kept", once', async (t) => {}); });`,
    'b.test.ts': 'await t.test(`there is ${what}`, () => {});',
  };
  const read = (file: string): string | undefined => sources[file];

  test('reads rules with their tests and reasons', () => {
    assert.deepEqual(
      rulesOf(page).map(({ line, tests, reason }) => [line, tests.map(({ file, name }) => `${file}: ${name}`), reason]),
      [
        [3, ['a.test.ts: it’s "kept", once', 'b.test.ts: there is ${what}'], undefined],
        [8, [], 'it cannot be seen.'],
      ],
    );
    assert.deepEqual(conformanceFaults(page, read), []);
  });

  test('finds the names of tests however they are written, and no other texts', () => {
    const source = [
      "test('one\\'s', () => {});",
      'test("two", () => {});',
      'test(',
      "  'three',",
      ');',
      'it(`four`, () => {});',
      "describe('no', () => {});",
      "const no = 'neither';",
    ].join('\n');
    assert.deepEqual([...testNames(source)], ["one's", 'two', 'three', 'four']);
  });

  test('finds rules without a test, and tests that do not exist', () => {
    const broken = `${page}\n- Nothing.\n- Lost.\n  \`gone.test.ts\` › x\n  \`a.test.ts\` › it’s kept\n`;
    assert.deepEqual(conformanceFaults(broken, read), [
      'Line 10: the rule has neither a test nor a reason why it has none.',
      'Line 11: there is no file gone.test.ts.',
      'Line 11: a.test.ts has no test named "it’s kept".',
    ]);
  });
});
