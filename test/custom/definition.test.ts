// What a session may bring along as tools, and how what it may not is told.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { z } from 'zod';
import { Problem } from '../../src/contract/index.ts';
import { createCustomTools } from '../../src/custom/create-custom-tools.ts';
import { CustomTools } from '../../src/custom/definition.ts';
import { prepare } from '../../src/engine/prepare/prepare.ts';
import { createCatalog } from '../../src/toolbox/catalog.ts';
import { inputJsonSchema } from '../../src/toolbox/schemas/input-schema.ts';
import { checkSchema, customTool, customTools, definition, noFetch } from './custom-bench.ts';

/** What is wrong with these definitions: `path: message`. */
function faults(given: unknown): string[] {
  const issues = CustomTools.safeParse(given).error?.issues ?? [];
  return issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

const http = (more: object = {}): object => ({ http: { url: 'https://example.com/call', ...more } });

describe('a definition', () => {
  test('gets its defaults, and stands for the same when it is read again', () => {
    const [tool] = CustomTools.parse([definition(http())]);
    assert.deepEqual(tool?.http, { url: 'https://example.com/call', method: 'POST', headers: {}, timeout_ms: 60_000 });
    assert.deepEqual(CustomTools.parse(JSON.parse(JSON.stringify([tool]))), [tool]);
  });

  test('shows its schema to the model as it was given', () => {
    const input_schema = {
      type: 'object',
      properties: { q: { type: 'string', pattern: '^a', 'x-mine': [1] } },
      required: ['q'],
      $defs: { a: {} },
    };
    const tool = customTool({ input_schema });
    assert.deepEqual(inputJsonSchema(tool), input_schema);
    assert.deepEqual([tool.name, tool.description({ workspace: '/w' })], ['lookup', 'Looks something up.']);
  });

  const accepted: [what: string, change: object][] = [
    ['the longest name', { name: 'a'.repeat(64) }],
    ['the longest description', { description: 'd'.repeat(4_096) }],
    ['an empty schema', { input_schema: {} }],
    [
      'every annotation',
      { annotations: { destructive: true, concurrency_safe: false, idempotent: true, footprint: { writes: ['a', '/w/b'] } } },
    ],
    ['a header of its own', http({ headers: { Authorization: 'Bearer abc', 'X-Tab': 'a\tb' } })],
    ['the longest time', http({ timeout_ms: 600_000, method: 'PATCH' })],
  ];
  for (const [what, change] of accepted) test(`may have ${what}`, () => assert.deepEqual(faults([definition(change)]), []));

  const refused: [what: string, change: object, says: RegExp][] = [
    ['without a name', { name: undefined }, /^0\.name: /],
    ['with a name of blanks', { name: 'a b' }, /^0\.name: a name has 1 to 64 letters/],
    ['with a name that is too long', { name: 'a'.repeat(65) }, /^0\.name: /],
    ['with the name of a tool of a server', { name: 'mcp__docs__find' }, /^0\.name: .*MCP servers/],
    ['without a description', { description: '' }, /^0\.description: say what/],
    ['with a description that is too long', { description: 'd'.repeat(4_097) }, /^0\.description: at most 4096/],
    ['without a schema', { input_schema: undefined }, /^0\.input_schema: give a JSON Schema object/],
    ['with a list for a schema', { input_schema: [] }, /^0\.input_schema: give a JSON Schema object/],
    ['that nobody runs', { http: undefined, client: undefined }, /^0: say who runs it/],
    ['that two run', { ...http(), client: true }, /^0: give http or client, not both/],
    ['that the client does not run', { client: false }, /^0\.client: give true/],
    ['with a key that is not known', { inputSchema: {} }, /^0: .*inputSchema/],
    ['with an annotation that is not known', { annotations: { readOnly: true } }, /^0\.annotations: .*readOnly/],
    ['that only reads and destroys', { annotations: { read_only: true, destructive: true } }, /^0\.annotations\.destructive: /],
    [
      'that only reads and writes',
      { annotations: { read_only: true, footprint: { writes: ['a'] } } },
      /^0\.annotations\.footprint\.writes: /,
    ],
    ['with a path that is empty', { annotations: { footprint: { reads: [''] } } }, /^0\.annotations\.footprint\.reads\.0: /],
    [
      'with too many paths',
      { annotations: { footprint: { reads: Array(101).fill('a') } } },
      /^0\.annotations\.footprint\.reads: at most 100/,
    ],
    ['with a URL of files', http({ url: 'file:///etc/passwd' }), /^0\.http\.url: give a URL/],
    ['with a URL that is none', http({ url: 'example.com' }), /^0\.http\.url: give a URL/],
    ['with a password in its URL', http({ url: 'https://u:p@example.com/' }), /^0\.http\.url: leave out the user name/],
    ['that is fetched', http({ method: 'GET' }), /^0\.http\.method: give POST, PUT or PATCH/],
    ['with a header on two lines', http({ headers: { 'X-A': 'a\r\nHost: b' } }), /^0\.http\.headers\.X-A: give printable ASCII/],
    ['with a header whose name is none', http({ headers: { 'X A': 'a' } }), /^0\.http\.headers\.X A: /],
    [
      'with too many headers',
      http({ headers: Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`x-${n}`, ''])) }),
      /^0\.http\.headers: at most 100/,
    ],
    ['without any time', http({ timeout_ms: 0 }), /^0\.http\.timeout_ms: give at least 1/],
    ['with too much time', http({ timeout_ms: 600_001 }), /^0\.http\.timeout_ms: give at most 600000/],
  ];
  for (const [what, change, says] of refused) {
    test(`${what} is refused`, () => {
      const [fault = 'nothing is wrong'] = faults([definition(change)]);
      assert.match(fault, says);
    });
  }

  for (const name of [
    'Host',
    'content-length',
    'Content-Type',
    'Transfer-Encoding',
    'Connection',
    'TE',
    'Proxy-Authorization',
    'Idempotency-Key',
  ]) {
    test(`may not set the header ${name}`, () => {
      assert.match(faults([definition(http({ headers: { [name]: 'a' } }))]).join(), /0\.http\.headers\..*: /);
    });
  }
});

describe('all definitions of a session', () => {
  const many = (count: number, more: object = {}): unknown[] =>
    Array.from({ length: count }, (_, n) => definition({ name: `t${n}`, ...more }));

  test('are at most 200 tools', () => {
    assert.deepEqual(faults(many(200)), []);
    assert.match(faults(many(201)).join(), /^: at most 200 tools/);
  });

  test('are at most 512 KiB together', () => {
    assert.deepEqual(faults(many(120, { description: 'd'.repeat(4_000) })), []);
    assert.match(faults(many(140, { description: 'd'.repeat(4_000) })).join(), /bytes of JSON together, and at most 524288/);
    assert.match(faults(many(140, { description: 'ü'.repeat(2_000) })).join(), /bytes of JSON together/);
  });

  test('hold no more than can be compiled in little time', () => {
    const properties = Object.fromEntries(Array.from({ length: 8_000 }, (_, n) => [`k${n}`, { type: 'string', minLength: 1 }]));
    assert.match(faults([definition({ input_schema: { properties } })]).join(), /more than 20000 values together/);
  });

  test('may be nested as deep as they like, and are refused with a sentence', () => {
    let input_schema: object = {};
    for (let depth = 0; depth < 100_000; depth += 1) input_schema = { not: input_schema };
    assert.match(faults([definition({ input_schema })]).join(), /nested too deep|more than 20000 values/);
  });

  test('have each name once', () => {
    assert.deepEqual(faults([...many(2), definition({ name: 't1' })]), ['2.name: another tool has this name']);
  });

  test('can be shown in the documents of the service', () => {
    assert.equal(z.toJSONSchema(CustomTools, { io: 'input' }).type, 'array');
  });
});

describe('a schema', () => {
  const bad: [what: string, input_schema: object, says: RegExp][] = [
    ['of a list', { type: 'array', items: {} }, /must describe an object/],
    ['with a type that is none', { properties: { a: { type: 'text' } } }, /properties\/a\/type/],
    ['with a reference to nowhere', { properties: { a: { $ref: '#/$defs/b' } } }, /refers to #\/\$defs\/b/],
    [
      'with references that lead round in a circle',
      { properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
      /without an end/,
    ],
    [
      'with too many values for one tool',
      { properties: Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`k${n}`, { type: 'string' }])) },
      /at most 2000/,
    ],
    ['with a reference to another host', { properties: { a: { $ref: 'https://example.com/schema.json' } } }, /refers to https/],
    ['with a key of the wrong form', { properties: { a: { minLength: 'three' } } }, /minLength/],
  ];
  for (const [what, input_schema, says] of bad) {
    test(`${what} is refused with the path of its tool, and so is every other one`, () => {
      const given = [definition({ input_schema }), definition({ name: 'fine' }), definition({ name: 'third', input_schema })];
      assert.throws(
        () => customTools(given),
        (error) => {
          assert.ok(error instanceof Problem);
          assert.equal(error.code, 'invalid-request');
          assert.deepEqual(
            error.issues.map(({ path }) => path),
            ['tools.custom[0].input_schema', 'tools.custom[2].input_schema'],
          );
          assert.match(error.issues[1]?.message ?? '', says);
          return true;
        },
      );
    });
  }

  test('that is accepted always gives a tool whose exported schema compiles, and whose calls can be checked', () => {
    const keywords = [
      'type',
      'properties',
      'items',
      'anyOf',
      'allOf',
      'not',
      '$ref',
      '$defs',
      'enum',
      'const',
      'required',
      'pattern',
      '$id',
      '$async',
      '_def',
    ];
    const values = ['object', 'string', 'a', '#', '#/$defs/a', '#/properties/a', '(', ''];
    const { schema } = fc.letrec<{ schema: unknown; value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(...values),
        fc.boolean(),
        fc.integer(),
        fc.array(tie('value'), { maxLength: 3 }),
        tie('schema'),
      ),
      schema: fc.dictionary(fc.constantFrom(...keywords, 'a'), tie('value'), { maxKeys: 4 }),
    }));
    let used = 0;
    const property = fc.property(schema, fc.jsonValue(), (input_schema, input) => {
      const parsed = CustomTools.safeParse([definition({ input_schema })]);
      if (!parsed.success) return;
      const tools = built(parsed.data);
      if (tools === null) return;
      used += 1;
      for (const tool of tools) {
        const shown = JSON.parse(JSON.stringify(inputJsonSchema(tool))) as Record<string, unknown>;
        assert.equal([shown['type']].flat().includes('object'), true);
        customTool({ input_schema: shown });
      }
      assert.match(prepare({ id: 'toolu_1', name: 'lookup', input }, createCatalog(tools)).kind, /ready|refused/);
    });
    fc.assert(property, { numRuns: 300 });
    assert.ok(used > 30, `${used} schemas were accepted`);
  });
});

/** `null` for schemas that are refused. */
function built(definitions: z.output<typeof CustomTools>): ReturnType<typeof createCustomTools> | null {
  try {
    return createCustomTools(definitions, { fetch: noFetch, checkSchema });
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    return null;
  }
}
