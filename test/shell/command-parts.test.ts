import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CommandPart } from '../../src/contract/index.ts';
import { createCommandReader } from '../../src/shell/command-parts.ts';
import { isReadOnlyCommand } from '../../src/shell/read-only.ts';

const reader = createCommandReader(isReadOnlyCommand);

function parts(line: string): readonly CommandPart[] {
  return reader.read(line).parts;
}

function programs(line: string): string[] {
  return parts(line).flatMap(({ words }) => (words.length === 0 ? [] : [words.map(({ value }) => value ?? '?').join(' ')]));
}

describe('every program of a line is found', () => {
  const lines: [line: string, programs: string[]][] = [
    ['a 1 && b | c |& d & e; f\ng', ['a 1', 'b', 'c', 'd', 'e', 'f', 'g']],
    ['{ a; }; (b); ! c', ['a', 'b', 'c']],
    ['if a; then b; elif c; then d; else e; fi', ['a', 'b', 'c', 'd', 'e']],
    ['for i in $(a); do b; done; while c; do d; done; case $(e) in x) f;; esac', ['a', 'b', 'c', 'd', 'e', 'f']],
    ['f() { a; }; coproc b', ['a', 'b']],
    ['a "x $(b "$(c)")" `d` <(e) >(f) ${x:-$(g)}', ['a ? ? ? ? ?', 'b ?', 'c', 'd', 'e', 'f', 'g']],
    ['a <<EOF\n$(b)\nEOF', ['a', 'b']],
    ["a <<'EOF'\n$(b)\nEOF", ['a']],
    ['a <<< "$(b)" > "$(c)"', ['a', 'b', 'c']],
    ['x=$(a) y=(1 $(b)); [[ -n $(c) ]]; (( $(d) ))', ['a', 'b', 'c', 'd']],
  ];
  for (const [line, expected] of lines) {
    test(JSON.stringify(line), () => assert.deepEqual(programs(line).toSorted(), expected.toSorted()));
  }
});

test('words are told as the program gets them, as they were written, and as patterns of files', () => {
  const [part] = parts(`c'u'rl  "a b" $'\\x41' \\*x *.[ch] "$x"* ~/a {b,c} A=1`);
  assert.deepEqual(part?.words, [
    { value: 'curl', written: "c'u'rl" },
    { value: 'a b', written: '"a b"' },
    { value: 'A', written: "$'\\x41'" },
    { value: '*x', written: '\\*x' },
    { value: null, written: '*.[ch]', pattern: '*.[ch]' },
    { value: null, written: '"$x"*' },
    { value: '~/a', written: '~/a' },
    { value: null, written: '{b,c}' },
    { value: 'A=1', written: 'A=1' },
  ]);
  assert.equal(part?.text, `c'u'rl "a b" $'\\x41' \\*x *.[ch] "$x"* ~/a {b,c} A=1`);
});

test('assignments and redirections are told apart from the words', () => {
  assert.deepEqual(parts('A=1 B=$x C+=2 a <in >out 2>&1 >>"$y" &>all 2>/dev/null <&3 {v}>fd')[0], {
    words: [{ value: 'a', written: 'a' }],
    text: 'a',
    assignments: [
      { name: 'A', value: '1' },
      { name: 'B', value: null },
      { name: 'C', value: null },
    ],
    redirects: [
      { access: 'read', path: 'in' },
      { access: 'write', path: 'out' },
      { access: 'write', path: null },
      { access: 'write', path: 'all' },
      { access: 'write', path: 'fd' },
    ],
    readOnly: false,
    opaque: false,
  });
  assert.deepEqual(parts('{ ls; } > out')[0]?.redirects, [{ access: 'write', path: 'out' }]);
  assert.deepEqual(parts('> out')[0]?.redirects, [{ access: 'write', path: 'out' }]);
  assert.deepEqual(parts('cat </dev/tcp/host/80')[0]?.redirects, [{ access: 'read', path: '/dev/tcp/host/80' }]);
});

test('each part is judged for itself, redirections aside, and git never after a change of directory', () => {
  const readOnly = (line: string): boolean[] => parts(line).map((part) => part.readOnly);
  assert.deepEqual(readOnly('ls && npm test && cat a > b'), [true, false, true]);
  assert.deepEqual(readOnly('X=1; ls'), [false, true]);
  assert.deepEqual(readOnly('git status'), [true]);
  assert.deepEqual(readOnly('cd x && git status'), [true, false]);
});

test('an expansion that may run a text is told', () => {
  const opaque = (line: string): boolean => parts(line).some((part) => part.opaque);
  for (const line of [
    'a ${x@P}',
    'a $((x))',
    'a ${!x}',
    'a ${x[y]}',
    'a ${x:y}',
    'a[x]=1 b',
    '(( x ))',
    '[[ -v x ]]',
    'for ((;;)); do a; done',
  ])
    assert.ok(opaque(line), line);
  for (const line of ['a $x ${x:-y} ${x#y}', 'a $((1 + 2))', 'a ${x:1:2}', 'a ${#x}']) assert.ok(!opaque(line), line);
});

test('a line that is not understood still tells the programs that were found, none of them as read-only', () => {
  for (const line of ['ls; curl x &&& y', `ls; curl x; echo ${'a'.repeat(10_000)}`, 'ls; curl x\u00a0y; curl x']) {
    const reading = reader.read(line);
    assert.equal(reading.understood, false, line.slice(0, 40));
    assert.ok(
      programs(line).some((each) => each.startsWith('curl x')),
      line.slice(0, 40),
    );
    assert.ok(
      reading.parts.every((part) => !part.readOnly),
      line.slice(0, 40),
    );
  }
});

test('no line makes it throw, however long or deep', () => {
  for (const line of [
    '',
    '"',
    '('.repeat(50_000),
    '$('.repeat(5_000),
    'a;'.repeat(60_000),
    '`'.repeat(9_999),
    '\0',
    '<<',
    `${'{ '.repeat(4_000)}a`,
  ]) {
    const reading = reader.read(line);
    assert.equal(typeof reading.understood, 'boolean', line.slice(0, 20));
  }
});
