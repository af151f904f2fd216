import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callsGit, changesDirectory, commandsIn } from '../../src/shell/commands.ts';
import { isBenignExit } from '../../src/shell/exit-meaning.ts';

test('every command of a line is found, however deep', () => {
  const line = 'ls -l "a b" && (cat x | "gr"ep y) ; for f in $(find .); do rm "$f" z; done; echo `date` <(pwd)';
  assert.deepEqual(commandsIn(line), [
    { name: 'ls', words: ['-l', 'a b'] },
    { name: 'cat', words: ['x'] },
    { name: 'grep', words: ['y'] },
    { name: 'find', words: ['.'] },
    { name: 'rm', words: [null, 'z'] },
    { name: 'echo', words: [null, null] },
    { name: 'date', words: [] },
    { name: 'pwd', words: [] },
  ]);
  assert.deepEqual(commandsIn('$x a'), [{ name: null, words: ['a'] }]);
  assert.equal(commandsIn('ls |'), null);
});

test('a line changes the directory unless it is sure not to', () => {
  for (const line of ['cd x', 'ls; pushd x', '(cd x)', 'eval "$x"', '. ./x', '$x', 'builtin cd x', 'ls |'])
    assert.ok(changesDirectory(line), line);
  for (const line of ['ls', 'echo cd', 'grep cd a | sort', 'make -C x']) assert.ok(!changesDirectory(line), line);
});

test('git is found by its name as a command only', () => {
  assert.ok(callsGit('ls | "git" log'));
  assert.ok(!callsGit('echo git; ./git; cat git'));
});

test('exit code 1 of a program that answers a question is no failure', () => {
  for (const line of [
    'grep x a',
    'cat a | grep x',
    'make; grep x a',
    'rg x',
    'find . -name x',
    'diff a b',
    'cmp a b',
    'test -f a',
    '[ -f a ]',
    'which x',
  ]) {
    assert.ok(isBenignExit(line, 1), line);
  }
  for (const line of ['cd src && grep x a', 'make || grep x a', 'grep x a > out', '(grep x a)', '[[ a == b ]]', '! grep x a'])
    assert.ok(isBenignExit(line, 1), line);
});

test('any other exit code, program or place is a failure', () => {
  for (const line of [
    'make',
    'grep x a; make',
    'grep x a | make',
    'make && grep x a',
    'grep x a && make',
    'if grep x a; then make; fi',
    '$x',
    'grep x a |',
    'cd x',
  ]) {
    assert.ok(!isBenignExit(line, 1), line);
  }
  assert.ok(!isBenignExit('grep x a', 2));
  assert.ok(!isBenignExit('diff a b', 2));
});
