import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { MAX_ARGUMENT_CHARS, MAX_ARGUMENT_DEPTH, parseArguments } from '../../src/formats/parse-arguments.ts';

function errorOf(text: string): string {
  const parsed = parseArguments(text);
  assert.ok('error' in parsed, `${text.slice(0, 40)} was accepted`);
  return parsed.error;
}

function nested(levels: number): string {
  return `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
}

/** Length of the longest start of the text that JSON.parse does not refuse before its end. */
function viableLength(text: string): number {
  let length = 0;
  while (length < text.length && isViable(text.slice(0, length + 1))) length += 1;
  return length;
}

function isViable(start: string): boolean {
  try {
    JSON.parse(start);
    return true;
  } catch (error) {
    const message = String(error);
    return message.includes('Unexpected end') || message.includes(` at position ${start.length} `);
  }
}

describe('argument text', () => {
  test('a JSON object is taken as it is, with keys like __proto__ as its own', () => {
    const parsed = parseArguments('{"path":"a","n":[1,{"x":null}],"__proto__":{"y":1}}');
    assert.ok('input' in parsed);
    assert.equal(JSON.stringify(parsed.input), '{"path":"a","n":[1,{"x":null}],"__proto__":{"y":1}}');
  });

  test('empty and blank text stand for no arguments', () => {
    for (const text of ['', ' ', '\n\t ']) assert.deepEqual(parseArguments(text), { input: {} });
  });

  test('truncated JSON is never completed', () => {
    const whole = JSON.stringify({ path: 'src/ä.ts', list: [1, -2.5e3, true, null, { deep: '\u2028"\\' }] });
    for (let length = 1; length < whole.length; length += 1) {
      assert.match(errorOf(whole.slice(0, length)), /not valid JSON: .* at position \d+ \(line 1 column \d+\)/);
    }
  });

  test('what is JSON but no object is refused with what it is', () => {
    assert.match(errorOf('[1,2]'), /must be one JSON object.*not an array: \[1,2\]/);
    assert.match(errorOf('null'), /not null: null/);
    assert.match(errorOf('"{\\"a\\":1}"'), /not a string/);
    assert.match(errorOf('7'), /not a number/);
  });

  test('the error shows where the parser stopped and the text there', () => {
    assert.match(errorOf('{"a": None}'), /Unexpected token 'N' at position 6 \(line 1 column 7\).*\{"a": None\}/);
    assert.match(errorOf('{\n "a": 1,\n "b": nope}'), /Unexpected token 'n' at position 17 \(line 3 column 7\)/);
    assert.match(errorOf('{\n "a": 1\n "b": 2}'), /at position 11 \(line 3 column 2\)/);
    assert.match(errorOf('{"a": [1,'), /ends too early at position 9 \(line 1 column 10\)/);
    assert.match(errorOf('{"a":"\\"[,\\\\","b":None}'), /Unexpected token 'N' at position 18/);
    assert.match(errorOf('{"a": 😀}'), /Unexpected token '😀' at position 6/);
  });

  test('in a long text the error shows only the surroundings of the fault', () => {
    const error = errorOf(`{"a":"${'x'.repeat(50_000)}","b":nope,"c":"${'y'.repeat(50_000)}"}`);
    assert.match(error, /at position 50012 .*…x+","b":nope,"c":"y+…$/);
    assert.ok(error.length < 600);
  });

  test('a cut never splits a surrogate pair', () => {
    for (let pad = 0; pad < 2; pad += 1) {
      const error = errorOf(`{"${'x'.repeat(pad)}${'😀'.repeat(200)}": oops ${'😀'.repeat(200)}`);
      assert.ok(error.isWellFormed());
    }
  });

  test('nesting up to the limit is taken, one level more is refused', () => {
    assert.ok('input' in parseArguments(nested(MAX_ARGUMENT_DEPTH)));
    assert.match(errorOf(nested(MAX_ARGUMENT_DEPTH + 1)), /more than 100 levels/);
    assert.match(errorOf(`{"a":${'['.repeat(200_000)}${']'.repeat(200_000)}}`), /more than 100 levels/);
  });

  test('text over the limit is refused without being parsed', () => {
    assert.match(errorOf(`{"a":"${'x'.repeat(MAX_ARGUMENT_CHARS)}"}`), /longer than 10485760 characters/);
  });

  test('any JSON object survives unchanged, however it is spaced', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ stringUnit: 'binary' })), fc.constantFrom('', ' ', '\n'), (value, space) => {
        const text = JSON.stringify(value, null, space);
        assert.deepEqual(parseArguments(text), { input: JSON.parse(text) });
      }),
    );
  });

  test('the position of a wrong token is where no JSON could go on', () => {
    const wrong = fc.constantFrom('None', "'a'", '+1', '.5', ',', ']', '}', ':', '\u00a0', 'x', '\\', '/**/', '<');
    fc.assert(
      fc.property(fc.array(fc.jsonValue({ stringUnit: 'binary' }), { minLength: 1 }), fc.nat(), wrong, (values, at, token) => {
        const parts = values.map((value) => JSON.stringify(value));
        parts[at % parts.length] = token;
        const text = `{"k":[${parts.join(', ')}]}`;
        const parsed = parseArguments(text);
        if ('input' in parsed) return;
        const told = Number(/at position (\d+)/.exec(parsed.error)?.[1]);
        assert.equal(told, viableLength(text));
      }),
    );
  });
});
