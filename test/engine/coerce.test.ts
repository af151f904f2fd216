import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { coerce } from '../../src/engine/prepare/coerce.ts';

type Schema = Record<string, unknown>;
interface Case {
  id: string;
  kind: 'property' | 'object';
  schema: Schema;
  input: unknown;
  expected: unknown;
  why: string;
}

const cases = JSON.parse(readFileSync(new URL('../cases/coercion.json', import.meta.url), 'utf8')) as Case[];
const text = { type: 'string' };
const integer = { type: 'integer' };
const number = { type: 'number' };
const boolean = { type: 'boolean' };
const nothing = { type: 'null' };
const listOf = (items: unknown): Schema => ({ type: 'array', items });
const objectOf = (properties: Schema, more: Schema = {}): Schema => ({ type: 'object', properties, ...more });

/** Checks the result at the root and as a member, and that the path is told exactly when something changed. */
function becomes(schema: Schema | boolean, input: unknown, expected: unknown): void {
  const said = `${JSON.stringify(schema)} with ${JSON.stringify(input)}`;
  const member = coerce(objectOf({ v: schema }), { v: input });
  assert.deepStrictEqual(member.input, { v: expected }, said);
  if (typeof schema === 'object') assert.deepStrictEqual(coerce(schema, input).input, expected, said);
  const changed = JSON.stringify(input) !== JSON.stringify(expected);
  assert.equal(member.coerced.length > 0, changed, said);
  assert.ok(
    member.coerced.every((path) => path.startsWith('v')),
    said,
  );
}

const stays = (schema: Schema | boolean, input: unknown): void => becomes(schema, input, input);

describe('the shared coercion cases', () => {
  for (const { id, kind, schema, input, expected, why } of cases) {
    test(`${id}: ${why}`, () => {
      if (kind === 'property') becomes(schema, input, expected);
      else assert.deepStrictEqual(coerce(schema, input).input, expected);
    });
  }
});

describe('text for numbers', () => {
  test('text that is exactly a number becomes that number', () => {
    for (const [words, value] of [
      ['.5', 0.5],
      ['5.', 5],
      ['-0', 0],
      ['-12', -12],
      [' \t7 ', 7],
      ['1E3', 1000],
      ['0.1', 0.1],
      ['1.10', 1.1],
      ['1e21', 1e21],
      ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ] as const) {
      becomes(number, words, value);
    }
    becomes(integer, '1e3', 1000);
    becomes(integer, '1.5e1', 15);
  });

  test('text that only resembles a number, or would be rounded, stays text', () => {
    const words = ['0x10', '1_000', 'Infinity', '-Infinity', '1e400', '1e-400', '.', 'e5', '--5', '5-', '1 2', '５', '1/2', 'yes', 'None'];
    const rounded = ['0.1000000000000000055', '3.14159265358979323846', '9007199254740993', '9007199254740992', '1234567890123456800'];
    for (const given of [...words, ...rounded, '']) stays(number, given);
    for (const given of ['3.5', '1e-1', '1e21', '-9007199254740993']) stays(integer, given);
  });

  test('a native number is never rounded to an integer, and no boolean becomes a number', () => {
    stays(integer, 3.5);
    stays(number, false);
    stays(boolean, 1);
  });
});

describe('words', () => {
  test('true and false are read in any case, other words are not guessed', () => {
    becomes(boolean, 'TRUE', true);
    becomes(boolean, ' false\n', false);
    for (const word of ['yes', 'no', '1', '0', 'on', 't', '']) stays(boolean, word);
  });

  test('the word null is null only where the schema has null and no text', () => {
    becomes({ type: ['integer', 'null'] }, ' NULL ', null);
    becomes({ anyOf: [{ type: 'integer', nullable: true }, boolean] }, 'null', null);
    becomes({ nullable: true, anyOf: [integer] }, 'null', null);
    becomes({ nullable: true, type: 'string', enum: ['a'] }, 'null', null);
    stays(integer, 'null');
    stays({ anyOf: [text, nothing] }, 'null');
    for (const word of ['None', 'nil', 'undefined', '']) stays({ type: ['integer', 'null'] }, word);
  });
});

describe('numbers and booleans for text', () => {
  test('they become text where only text is allowed', () => {
    becomes(text, 5, '5');
    becomes(text, 1.5, '1.5');
    becomes(text, true, 'true');
    becomes({ type: ['string', 'null'] }, 5, '5');
    becomes({ anyOf: [text, nothing] }, false, 'false');
    becomes({ type: ['string', 'array'] }, 5, '5');
  });

  test('they stay where a number or boolean is allowed beside text', () => {
    stays({ type: ['string', 'integer'] }, 1.5);
    stays({ anyOf: [text, integer] }, true);
    stays({ anyOf: [text, boolean] }, 5);
  });

  test('a whole number too large to be held exactly does not become text, for its digits are already lost', () => {
    stays(text, 2 ** 60);
  });

  test('objects, lists and null never become text', () => {
    for (const value of [{ a: 1 }, ['a'], [], null]) stays(text, value);
  });
});

describe('lists', () => {
  test('a lone value is wrapped when it is, or can be read as, an element', () => {
    becomes(listOf(boolean), 'true', [true]);
    becomes(listOf(text), 5, ['5']);
    becomes(listOf({}), 'a', ['a']);
    becomes({ type: 'array' }, 'a', ['a']);
    becomes(listOf(listOf(integer)), '[["1"],[2]]', [[1], [2]]);
    becomes(listOf(objectOf({ id: integer })), '{"id":"1"}', [{ id: 1 }]);
    becomes(listOf(objectOf({ id: integer })), { id: 'x' }, [{ id: 'x' }]);
    stays(listOf(integer), 'hello');
    stays(listOf(text), { a: 1 });
    stays(listOf(text), null);
  });

  test('text that encodes a list badly, or nothing, is not hidden in a list', () => {
    for (const given of ['["a",', '[a, b]', "['a']", "('a', 'b')", '{"a":1}', '{"a"', 'null', 'None', '["a"] and more', '[1],']) {
      stays(listOf(text), given);
    }
  });

  test('blank text is the empty list', () => becomes(listOf(text), ' \n', []));

  test('an item envelope is opened, unless the elements have a member of that name', () => {
    becomes(listOf(text), { item: ['a', 'b'] }, ['a', 'b']);
    becomes(listOf(integer), { item: '[1,"2"]' }, [1, 2]);
    becomes(listOf(objectOf({ id: text })), { item: { id: 1 } }, [{ id: '1' }]);
    becomes(listOf(text), '{"item":["a"]}', ['a']);
    becomes(listOf(objectOf({ item: text })), { item: 'x' }, [{ item: 'x' }]);
    stays(objectOf({ item: text }), { item: 'x' });
    stays(listOf(text), { item: ['a'], more: 1 });
    for (const items of [text, {}]) stays(listOf(items), { item: null });
  });

  test('tuples are repaired element by element', () => {
    becomes({ type: 'array', prefixItems: [integer, boolean], items: text }, ['1', 'true', 2], [1, true, '2']);
    becomes({ type: 'array', items: [integer, boolean], additionalItems: text }, ['1', 'true', 2], [1, true, '2']);
  });
});

describe('objects', () => {
  test('members, further members and members of parsed text are repaired', () => {
    becomes({ type: 'object', additionalProperties: integer }, { a: '1', b: 'x' }, { a: 1, b: 'x' });
    becomes(objectOf({ a: integer }), '{"a":"1","b":"2"}', { a: 1, b: '2' });
    becomes(listOf(objectOf({ a: boolean })), ['{"a":"true"}'], [{ a: true }]);
    becomes(objectOf({ a: integer }), ' ', {});
  });

  test('text that is not exactly one JSON object stays text', () => {
    for (const given of ['{"a":1} trailing', '{"a":1', '{a:1}', '```{"a":1}```', '5', 'null', '"{}"'])
      stays(objectOf({ a: integer }), given);
  });

  test('JSON text with a number that would be rounded stays text', () => {
    stays(objectOf({ a: integer }), '{"a":1234567890123456789}');
    stays(listOf(number), '[0.1000000000000000055]');
    becomes(listOf(text), '["1234567890123456789"]', ['1234567890123456789']);
  });

  test('members that a pattern may speak for are left alone', () => {
    stays({ type: 'object', patternProperties: { '^s': text }, additionalProperties: integer }, { s: '5' });
  });

  test('a member called __proto__ stays a member and sets no prototype', () => {
    const input = JSON.parse('{"__proto__":{"n":"1"},"a":"2"}') as unknown;
    const schema = objectOf(JSON.parse('{"a":{"type":"integer"},"__proto__":{"properties":{"n":{"type":"integer"}}}}') as Schema);
    const result = coerce(schema, input).input as object;
    assert.equal(JSON.stringify(result), '{"__proto__":{"n":1},"a":2}');
    assert.equal(Object.getPrototypeOf(result), Object.prototype);
    const further = { additionalProperties: integer };
    becomes(objectOf({ constructor: integer }, further), { constructor: '1', toString: '2' }, { constructor: 1, toString: 2 });
  });
});

describe('enums and constants', () => {
  test('a value is read as the option it spells', () => {
    becomes({ enum: [5, 6] }, '5', 5);
    becomes({ enum: ['5', '6'] }, 5, '5');
    becomes({ enum: [true] }, 'True', true);
    becomes({ enum: ['a', null] }, 'null', null);
    becomes({ type: 'string', enum: ['1'] }, 1, '1');
    becomes({ const: 3 }, '3', 3);
    becomes({ const: [1] }, '[1]', [1]);
  });

  test('a text is not folded or trimmed into an option', () => {
    for (const given of ['A', ' a', 'b', 5, '']) stays({ enum: ['a'] }, given);
    stays({ enum: ['5', 5] }, '5');
    stays({ enum: ['5', 5] }, 5);
    stays({ enum: [5] }, '6');
  });
});

describe('unions and references', () => {
  test('a union is read by the branch that accepts the repaired value', () => {
    becomes({ oneOf: [integer, boolean] }, '5', 5);
    becomes({ oneOf: [integer, boolean] }, 'true', true);
    becomes({ anyOf: [integer, number] }, '5', 5);
    becomes({ anyOf: [objectOf({ a: integer }), nothing] }, '{"a":"1"}', { a: 1 });
    stays({ anyOf: [objectOf({ a: integer }), text] }, '{"a":1}');
    stays({ oneOf: [integer, boolean] }, 'hello');
  });

  test('the reading that changes least counts', () => {
    becomes({ anyOf: [listOf(integer), integer] }, '5', 5);
    becomes({ type: ['array', 'integer'], items: integer }, '5', 5);
    becomes({ anyOf: [listOf(text), listOf(integer)] }, '[1]', [1]);
  });

  test('two different readings are none', () => {
    stays({ anyOf: [listOf(text), { type: 'object' }] }, '');
    stays({ type: ['array', 'object'] }, '');
    const apart = [objectOf({ n: integer }, { required: ['x'] }), objectOf({ n: boolean }, { required: ['y'] })];
    stays({ anyOf: apart }, { n: '1' });
  });

  test('a member that tells branches apart chooses the branch, also when other members stay wrong', () => {
    const shapes = {
      anyOf: [objectOf({ kind: { const: 'a' }, n: integer }, { required: ['kind', 'n'] }), objectOf({ kind: { const: 'b' }, n: boolean })],
    };
    becomes(shapes, { kind: 'a', n: '1' }, { kind: 'a', n: 1 });
    becomes(shapes, { kind: 'b', n: 'true' }, { kind: 'b', n: true });
    becomes({ anyOf: [objectOf({ n: integer, m: integer }), nothing] }, { n: '1', m: 'x' }, { n: 1, m: 'x' });
    const tagged = { anyOf: shapes.anyOf.map((shape) => ({ ...shape, required: ['kind', 'n', 'more'] })) };
    becomes(tagged, { kind: 'a', n: '1' }, { kind: 'a', n: 1 });
    const untagged = objectOf({ n: integer }, { required: ['m', 'z'] });
    becomes({ anyOf: [shapes.anyOf[0], untagged] }, { n: '1' }, { n: 1 });
    becomes({ anyOf: [objectOf({ n: text }, { required: ['k'] }), objectOf({ n: integer })] }, { n: '5' }, { n: 5 });
  });

  test('references into the document are followed, and rings end', () => {
    const node = objectOf({ n: integer, next: { $ref: '#/$defs/a~1b%20c' } });
    const schema = { $defs: { 'a/b c': node }, ...node };
    assert.deepEqual(coerce(schema, { n: '1', next: { next: '{"n":"3"}' } }), {
      input: { n: 1, next: { next: { n: 3 } } },
      coerced: ['n', 'next.next'],
    });
    const ring = { $defs: { A: { $ref: '#/$defs/B' }, B: { anyOf: [{ $ref: '#/$defs/A' }, { $ref: '#' }] } }, $ref: '#/$defs/A' };
    assert.equal(coerce(ring, '5').input, '5');
    for (const $ref of ['#/nowhere', 'https://example.org/x', '#/%', '#name']) stays({ $ref }, '5');
  });

  test('parts that hold together are all applied, and parts that contradict change nothing', () => {
    becomes({ allOf: [objectOf({ a: integer }), objectOf({ b: boolean })] }, { a: '1', b: 'true' }, { a: 1, b: true });
    becomes(objectOf({ a: integer }, { oneOf: [{ required: ['a'] }, { required: ['b'] }] }), { a: '1' }, { a: 1 });
    stays({ allOf: [integer, text] }, '5');
    stays({ allOf: [integer, text] }, 5);
  });
});
