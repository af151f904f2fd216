// What holds for every schema and every value, with a full JSON Schema validator as the judge; and what bounds the work.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { coerce } from '../../src/engine/prepare/coerce.ts';

type Schema = Record<string, unknown>;
const text = { type: 'string' };
const integer = { type: 'integer' };
const boolean = { type: 'boolean' };
const nothing = { type: 'null' };
const listOf = (items: unknown): Schema => ({ type: 'array', items });
const objectOf = (properties: Schema): Schema => ({ type: 'object', properties });

const key = fc.constantFrom('a', 'b', 'item', '__proto__');
const scalar = fc.oneof(
  fc.constantFrom('', '5', 'true', 'null', '[]', '{}', '[1,"2"]', '{"a":"1"}', '{"item":["a"]}', '["a"', 'word', '1e400'),
  fc.constantFrom(null, true, false, 0, 5, 1.5, 1e20, -0),
);
const own = (entries: [string, unknown][]): unknown => Object.fromEntries(entries);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 3 }).map(own),
  ),
}));
const type = fc.constantFrom('string', 'integer', 'number', 'boolean', 'null', 'array', 'object');
const { schema } = fc.letrec<{ schema: Schema; branches: Schema[] }>((tie) => ({
  branches: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
  schema: fc.oneof(
    { depthSize: 'small' },
    type.map((name): Schema => ({ type: name })),
    fc.uniqueArray(type, { minLength: 1, maxLength: 3 }).map((names): Schema => ({ type: names })),
    fc.uniqueArray(scalar, { minLength: 1, maxLength: 3, comparator: 'SameValueZero' }).map((options): Schema => ({ enum: options })),
    scalar.map((only): Schema => ({ const: only })),
    fc.constantFrom<Schema>({}, { $ref: '#/$defs/A' }),
    tie('schema').map(listOf),
    tie('branches').map((prefixItems): Schema => ({ type: 'array', prefixItems })),
    tie('branches').map((anyOf): Schema => ({ anyOf })),
    tie('branches').map((oneOf): Schema => ({ oneOf })),
    tie('branches').map((allOf): Schema => ({ allOf })),
    fc.tuple(tie('schema'), tie('schema'), fc.constantFrom<unknown>(undefined, false, integer)).map(([a, b, more]): Schema => {
      return { type: 'object', properties: { a, b }, required: ['a'], ...(more === undefined ? {} : { additionalProperties: more }) };
    }),
  ),
}));
const document = fc.tuple(schema, schema).map(([root, shared]): Schema => ({ ...root, $defs: { A: shared } }));
const validInputs = (from: Schema, inputs: unknown[]): unknown[] => {
  try {
    const validate = new Ajv2020({ strict: false, validateSchema: false, logger: false }).compile(from);
    return inputs.filter((input) => validate(input));
  } catch {
    // A schema that only refers to itself has no end for the validator: nothing can be said about its values.
    return [];
  }
};

function chain(depth: number): unknown {
  let nested: unknown = { n: '1' };
  for (let level = 0; level < depth; level += 1) nested = { next: nested };
  return nested;
}

describe('for any schema and any value', () => {
  test('a valid input is given back as the same object', () => {
    let valid = 0;
    fc.assert(
      fc.property(document, fc.array(value, { minLength: 8, maxLength: 8 }), (from, inputs) => {
        for (const input of validInputs(from, inputs)) {
          valid += 1;
          const result = coerce(from, input);
          assert.equal(result.input, input);
          assert.deepEqual(result.coerced, []);
        }
      }),
      { numRuns: 300 },
    );
    assert.ok(valid > 100, `only ${valid} valid inputs were tried`);
  });

  test('repairing twice is repairing once, and nothing throws', () => {
    fc.assert(
      fc.property(document, value, (from, input) => {
        const before = JSON.stringify(input);
        const once = coerce(from, input);
        assert.equal(JSON.stringify(input), before);
        const twice = coerce(from, once.input);
        assert.deepEqual(twice.input, once.input);
        assert.deepEqual(twice.coerced, []);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('what the caller gets', () => {
  test('paths say which values were replaced', () => {
    const shape = objectOf({ todos: listOf(objectOf({ n: integer, tags: listOf(text) })), 'odd key': integer });
    const input = { todos: [{ n: 1 }, { n: '2', tags: 'x' }], 'odd key': '3' };
    assert.deepEqual(coerce(shape, input), {
      input: { todos: [{ n: 1 }, { n: 2, tags: ['x'] }], 'odd key': 3 },
      coerced: ['todos[1].n', 'todos[1].tags', '["odd key"]'],
    });
    assert.deepEqual(coerce(integer, '1'), { input: 1, coerced: ['(input)'] });
  });

  test('the input is never changed, and what was right is shared', () => {
    const freeze = <Value>(given: Value): Value => {
      if (typeof given === 'object' && given !== null) Object.values(Object.freeze(given)).forEach(freeze);
      return given;
    };
    const input = freeze({ a: { n: '1' }, b: { n: 2 } });
    const shape = objectOf({ a: objectOf({ n: integer }), b: objectOf({ n: integer }) });
    const result = coerce(shape, input).input as typeof input;
    assert.deepEqual(result, { a: { n: 1 }, b: { n: 2 } });
    assert.equal(result.b, input.b);
  });

  test('values that no JSON has are passed through', () => {
    for (const odd of [undefined, Number.NaN, Infinity, 5n, Symbol.iterator, assert]) {
      for (const shape of [text, integer, listOf(integer), objectOf({})]) {
        if (shape['type'] !== 'array') assert.equal(coerce(shape, odd).input, odd);
        else assert.doesNotThrow(() => coerce(shape, odd));
      }
    }
  });

  test('odd schemas are no obstacle', () => {
    const input = { v: '5' };
    for (const shape of [
      true,
      false,
      {},
      { type: [] },
      { type: 'whatever' },
      { enum: 5 },
      { anyOf: [] },
      { anyOf: [5] },
      { required: 1 },
    ]) {
      assert.equal(coerce(objectOf({ v: shape }), input).input, input);
    }
  });
});

describe('limits', () => {
  test('nesting is repaired down to a bound, and deeper values are left as they are', () => {
    const rows = objectOf({ n: integer, next: { anyOf: [{ $ref: '#' }, nothing] } });
    assert.equal(coerce(rows, chain(40)).coerced.length, 1);
    assert.deepEqual(coerce(rows, chain(1000)).coerced, []);
    assert.deepEqual(coerce(rows, chain(5000)).coerced, []);
    const lists = { type: 'array', items: { $ref: '#' } };
    const deep = `${'['.repeat(1000)}${']'.repeat(1000)}`;
    assert.equal(coerce(lists, deep).input, deep);
    assert.doesNotThrow(() => coerce(lists, JSON.parse(deep)));
  });

  test('JSON text is parsed up to a size', () => {
    const small = `{"a":"${'x'.repeat(100_000)}"}`;
    const large = `{"a":"${'x'.repeat(4_000_000)}"}`;
    assert.deepEqual(coerce(objectOf({}), small).input, JSON.parse(small));
    assert.equal(coerce(objectOf({}), large).input, large);
  });

  test('a repair that a second look would change is not made', () => {
    const rows = { anyOf: [{ type: 'array', items: { type: 'array' } }, text] };
    const ring = { allOf: [rows, { type: 'array', items: { anyOf: [{ $ref: '#' }, text] } }] };
    const once = coerce(ring, {}).input;
    assert.deepEqual(coerce(ring, once).input, once);
  });

  test('branches that refer to each other are asked once a value, not once a way to it', () => {
    const branches = Array.from({ length: 6 }, (_, index) => objectOf({ next: { $ref: '#' }, [`m${index}`]: integer, n: integer }));
    assert.deepEqual(coerce({ anyOf: branches }, chain(40)).coerced, [`${'next.'.repeat(40)}n`]);
  });

  test('ten times as many elements need about ten times as many steps', () => {
    const rows = listOf(objectOf({ n: integer, kind: { anyOf: [integer, boolean, nothing] } }));
    let reads = 0;
    const countedRows = (count: number): unknown[] =>
      Array.from({ length: count }, (_, index) => {
        const row = { n: String(index), kind: String(index % 2 === 0) };
        return new Proxy(row, { ownKeys: (target) => ((reads += 1), Reflect.ownKeys(target)) });
      });
    const readsFor = (count: number): number => {
      reads = 0;
      assert.equal(coerce(rows, countedRows(count)).coerced.length, 2 * count);
      return reads;
    };
    const [few, many] = [readsFor(1000), readsFor(10_000)];
    assert.ok(many <= few * 11, `${few} reads for 1,000 rows, ${many} for 10,000`);
  });
});
