import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { InputIssue } from '../../src/contract/index.ts';
import { describeIssues } from '../../src/engine/prepare/describe-issues.ts';

const issue = (kind: InputIssue['kind'], path: InputIssue['path'], more: Partial<InputIssue> = {}): InputIssue => ({
  kind,
  path,
  message: 'as the validator says',
  ...more,
});

describe('a wrong input', () => {
  test('is described by class and path, all of it', () => {
    const said = describeIssues([
      issue('other', ['name'], { message: 'must not be empty' }),
      issue('type', ['todos', 0, 'n'], { expected: 'integer', received: 'string' }),
      issue('unexpected', ['foo']),
      issue('missing', ['todos', 0, 'activeForm'], { expected: 'string' }),
      issue('missing', ['path']),
    ]);
    assert.deepEqual(said.split('\n'), [
      'InputValidationError: the input has 5 problems. Correct it and call the tool again.',
      '- missing parameter `todos[0].activeForm`, expected string',
      '- missing parameter `path`',
      '- unexpected parameter `foo`: the tool does not take it',
      '- wrong type of `todos[0].n`: expected integer, received string',
      '- `name`: must not be empty',
    ]);
  });

  test('as a whole is called the input', () => {
    assert.match(
      describeIssues([issue('type', [], { expected: 'object', received: 'array' })]),
      /1 problem\..*\n- wrong type of the input: expected object, received array$/,
    );
  });

  test('with very many problems shows fifty and counts the rest', () => {
    const lines = describeIssues(Array.from({ length: 73 }, (_, index) => issue('missing', ['list', index]))).split('\n');
    assert.equal(lines.length, 52);
    assert.match(lines[0] ?? '', /73 problems/);
    assert.equal(lines[50], '- missing parameter `list[49]`');
    assert.equal(lines[51], '- and 23 more');
  });

  test('with endless names and messages is described in bounds', () => {
    const long = '😀'.repeat(100_000);
    const said = describeIssues([
      issue('other', [long], { message: `x${long}` }),
      issue('type', ['a'], { expected: long, received: long }),
    ]);
    assert.ok(said.length < 2000 && said.isWellFormed());
  });
});
