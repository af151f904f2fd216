// What else is told of a line: whether git is called, where its output goes, whether something in it may be evaluated.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCommandReader } from '../../src/shell/command-parts.ts';
import { callsGit, changesDirectory } from '../../src/shell/commands.ts';
import { isBenignExit } from '../../src/shell/exit-meaning.ts';
import { keysOfPrograms } from '../../src/shell/git-preflight.ts';
import { isReadOnlyCommand } from '../../src/shell/read-only.ts';

test('exit code 1 is no answer when what decides goes on in the background, or is not known', () => {
  for (const line of ['grep x a &', 'make; grep x a &', '"$x" a', 'x=1', 'echo "', '']) assert.equal(isBenignExit(line, 1), false, line);
  for (const line of ['make & grep x a', '[[ -f a ]]', '(grep x a) > b']) assert.equal(isBenignExit(line, 1), true, line);
});

describe('a line', () => {
  test('calls git wherever git stands in it by its name, and not where it cannot be read', () => {
    for (const line of ['git log', 'ls; git log', 'ls | (git log)', 'echo $(git log)']) assert.equal(callsGit(line), true, line);
    for (const line of ['ls git', 'echo git', '/usr/bin/git log', 'echo "', 'x'.repeat(20_000)])
      assert.equal(callsGit(line), false, line.slice(0, 50));
  });

  test('may leave its directory unless it surely does not', () => {
    for (const line of [
      'cd x',
      'ls; pushd x',
      'popd',
      'eval "$x"',
      '. a',
      'source a',
      'trap x EXIT',
      '"$x"',
      'builtin cd x',
      'command -- cd x',
      'echo "',
    ])
      assert.equal(changesDirectory(line), true, line);
    for (const line of ['ls', 'echo cd', 'git -C x log', 'builtin pwd', 'command ls']) assert.equal(changesDirectory(line), false, line);
  });

  test('is opaque where bash may evaluate a name, a subscript or a value', () => {
    const reader = createCommandReader(isReadOnlyCommand);
    const isOpaque = (line: string): boolean => reader.read(line).parts.some(({ opaque }) => opaque);
    for (const line of [
      'a $((x))',
      'a $((1 + x))',
      'a $((x1))',
      'a ${x[y]}',
      'a ${!x}',
      'a ${x:y}',
      'a ${x:1:y}',
      'a ${x:1y}',
      'a ${x@P}',
      'x[y]=1 a',
      'a $"b"',
      '((x))',
      '[[ $x -eq 1 ]]',
    ])
      assert.equal(isOpaque(line), true, line);
    for (const line of [
      'a $((1 + 2))',
      'a $(( 1 ))',
      'a $((16#ff))',
      'a ${x}',
      'a ${x:1}',
      'a ${x:1:2}',
      'a ${x: -1}',
      'a ${x:-b}',
      'x=1 a',
      'a > b',
      'a 2>&1',
    ])
      assert.equal(isOpaque(line), false, line);
  });

  test('leads its output to a file, and not to another of its own outputs', () => {
    const reader = createCommandReader(isReadOnlyCommand);
    const redirects = (line: string) =>
      reader.read(line).parts.flatMap((part) => part.redirects.map(({ access, path }) => `${access} ${path}`));
    assert.deepEqual(redirects('a > b 2>> c < d &> e >| f'), ['write b', 'write c', 'read d', 'write e', 'write f']);
    assert.deepEqual(redirects('a 2>&1 1>&- <&3 3>&4- > /dev/null 2> /dev/null'), []);
    assert.deepEqual(redirects('a >& b'), ['write b']);
    assert.deepEqual(redirects('a > "$x"'), ['write null']);
    assert.deepEqual(redirects('a <<< b <<EOF\nc\nEOF'), []);
  });

  test('keeps git from reading when it goes to another directory first', () => {
    const reader = createCommandReader(isReadOnlyCommand);
    const readOnly = (line: string) => reader.read(line).parts.map((part) => `${part.words[0]?.value} ${part.readOnly}`);
    assert.deepEqual(readOnly('ls; git log'), ['ls true', 'git true']);
    assert.deepEqual(readOnly('cd src; git log; ls'), ['cd true', 'git false', 'ls true']);
    assert.deepEqual(readOnly('{ pushd src; } > a; git log; (( 1 ))').includes('git false'), true);
  });
});

describe('a repository', () => {
  test('names programs in each scope that is its own, once, and the operator and the environment do not count', () => {
    const printed = [
      'local\tdiff.x.command',
      'system\tdiff.y.command',
      'command\tfilter.z.clean',
      'worktree\tfilter.w.clean',
      'local\tdiff.x.command',
      '',
    ];
    assert.deepEqual(keysOfPrograms(printed.join('\n')), ['diff.x.command', 'filter.w.clean']);
    assert.deepEqual(keysOfPrograms(''), []);
    assert.deepEqual(keysOfPrograms('gitmodules\tsubmodule.x.ignore\n'), ['submodule.x.ignore']);
  });
});
