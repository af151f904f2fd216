// One model call must not hold up everyone else: what reading a line costs is bounded, whatever is in it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCommandReader } from '../../src/shell/command-parts.ts';
import { MAX_CHARS, MAX_DEPTH, parseShell, simpleStart } from '../../src/shell/parse.ts';
import { isReadOnlyCommand } from '../../src/shell/read-only.ts';

/** What begins something that may hold itself, and its end. */
const NESTINGS: readonly (readonly [opener: string, closer: string])[] = [
  ['$(', ')'],
  ['"$(', ')"'],
  ['<(', ')'],
  ['>(a ', ')'],
  ['`', '`'],
  ['a=$(<', ')'],
  ['$((1+', '))'],
  ['$((', '))'],
  ['((', '))'],
  ['${a:-', '}'],
  ['${a#"', '"}'],
  ['<<E ', ''],
  ['<<E;', ''],
  ['[[ $(', ')'],
  ['x=($(', '))'],
  ['@(', ')'],
  ['(', ')'],
  ['{ ', ';}'],
  ['if a; then ', '; fi'],
  ['case a in a) ', ';; esac'],
  ['f() { ', ';}'],
];

function nested([opener, closer]: readonly [string, string], length: number): string {
  const depth = Math.floor((length - 1) / (opener.length + closer.length));
  return `${opener.repeat(depth)}a${closer.repeat(depth)}`;
}

/** The least processor time of a few rounds, in microseconds. No line is asked twice, because answers are remembered. */
let asked = 0;
function costOf(read: (line: string) => unknown, line: string): number {
  const costs = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    read(`${(asked += 1)};${line}`);
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.min(...costs);
}

describe('a line of nestings', () => {
  const reader = createCommandReader(isReadOnlyCommand);
  const read = (line: string) => reader.read(line);

  test('costs no more when it is ten times as long as any that is understood', () => {
    for (const nesting of NESTINGS) {
      for (const [opener, closer] of [nesting, [nesting[0], '']] as const) {
        const short = costOf(read, nested([opener, closer], MAX_CHARS));
        const long = costOf(read, nested([opener, closer], 10 * MAX_CHARS));
        assert.ok(long < 4 * short + 5_000, `${opener}: ${short} and ${long}`);
      }
    }
  });

  test('is not understood past so many substitutions, and no deeper than so many', () => {
    for (const [opener, closer] of NESTINGS.slice(0, 13)) {
      assert.equal(parseShell(`${opener.repeat(300)}a${closer.repeat(300)}`), null, opener);
      assert.equal(parseShell(`echo ${`${opener}a${closer} `.repeat(300)}`), null, opener);
    }
    for (const [opener, closer] of NESTINGS.slice(0, 4)) {
      assert.equal(parseShell(`echo ${opener.repeat(MAX_DEPTH + 1)}a${closer.repeat(MAX_DEPTH + 1)}`), null, opener);
    }
    assert.notEqual(parseShell(`echo ${'$(echo '.repeat(5)}a${')'.repeat(5)} ${'"$(a)" '.repeat(100)}`), null);
    assert.notEqual(parseShell(`cat > a.md <<'EOF'\n${'a `word` of code\n'.repeat(100)}EOF`), null);
  });

  test('tells what it runs down to a depth and up to a number of substitutions, and nothing behind', () => {
    for (const nesting of NESTINGS.slice(0, 12)) {
      assert.ok(reader.read(nested(nesting, 10 * MAX_CHARS)).parts.length <= 300, nesting[0]);
    }
    const { parts } = reader.read(`curl x; ${'$(a '.repeat(5_000)}`);
    assert.equal(parts[0]?.text, 'curl x');
    assert.ok(parts.length <= MAX_DEPTH + 1);
    assert.ok(simpleStart('$('.repeat(50_000)).length < 300);
    assert.equal(simpleStart('a'.repeat(100_000)).length, MAX_CHARS);
  });
});

describe('judging the parts of a line', () => {
  function counting(): { readonly read: (line: string) => unknown; readonly lines: string[] } {
    const lines: string[] = [];
    const reader = createCommandReader((line) => lines.push(line) > 0);
    return { read: (line) => reader.read(line), lines };
  }

  test('looks at a few times its characters, however its parts hold each other', () => {
    const { read, lines } = counting();
    read(`${'echo $(echo '.repeat(7)}${'a '.repeat(4_500)}${')'.repeat(7)}`);
    assert.ok(lines.join('').length <= 2 * MAX_CHARS);
    assert.ok(lines.length >= 2);
  });

  test('is done once for a line that is asked about several times', () => {
    const { read, lines } = counting();
    assert.equal(read('ls | wc'), read('ls | wc'));
    assert.deepEqual(lines, ['ls', 'wc']);
  });

  test('finds a part of many that writes, and takes what is not looked at for one', () => {
    const { parts } = createCommandReader(isReadOnlyCommand).read(`${'ls; '.repeat(500)}rm a; ls`);
    assert.deepEqual([parts.at(0)?.readOnly, parts.at(-2)?.readOnly, parts.at(-1)?.readOnly], [true, false, true]);
    const deep = `${'echo $(echo '.repeat(7)}${'a '.repeat(4_500)}${')'.repeat(7)}`;
    const judged = createCommandReader(() => true)
      .read(deep)
      .parts.map(({ readOnly }) => readOnly);
    assert.ok(judged.includes(false));
  });
});
