import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import type { InputIssue, JsonSchema } from '../../src/contract/index.ts';
import { ToolDefinitionError } from '../../src/contract/index.ts';
import { describeIssues } from '../../src/engine/prepare/describe-issues.ts';
import { inputValidator } from '../../src/toolbox/input/input-validator.ts';
import { sampleTool } from './sample-tools.ts';

function validatorOf(inputSchema: unknown): ReturnType<typeof inputValidator> {
  return inputValidator(sampleTool('Sample', { inputSchema: inputSchema as JsonSchema }));
}

function issuesOf(inputSchema: unknown, input: unknown): readonly InputIssue[] {
  const checked = validatorOf(inputSchema)(input);
  assert.ok(!checked.ok, 'the input must be refused');
  return checked.issues;
}

/** One line an issue: kind, path, and types when there are any. */
function brief(issues: readonly InputIssue[]): string[] {
  return issues
    .map(({ kind, path, expected, received }) =>
      [kind, path.join('.') || '(root)', expected, received].filter((part) => part !== undefined).join(' '),
    )
    .toSorted();
}

/** One shape in the three languages that a tool may be written in. */
const SHAPES: Record<string, unknown> = {
  'Zod 4': z.strictObject({
    name: z.string(),
    count: z.int().optional(),
    mode: z.enum(['fast', 'slow']),
    items: z.array(z.strictObject({ label: z.string() })),
    either: z.union([z.string(), z.array(z.string())]).optional(),
  }),
  'zod/v3': z3
    .object({
      name: z3.string(),
      count: z3.number().int().optional(),
      mode: z3.enum(['fast', 'slow']),
      items: z3.array(z3.object({ label: z3.string() }).strict()),
      either: z3.union([z3.string(), z3.array(z3.string())]).optional(),
    })
    .strict(),
  'JSON Schema': {
    type: 'object',
    properties: {
      name: { type: 'string' },
      count: { type: 'integer' },
      mode: { enum: ['fast', 'slow'] },
      items: {
        type: 'array',
        items: { type: 'object', properties: { label: { type: 'string' } }, required: ['label'], additionalProperties: false },
      },
      either: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
    },
    required: ['name', 'mode', 'items'],
    additionalProperties: false,
  },
};

for (const [language, schema] of Object.entries(SHAPES)) {
  describe(`Input of a tool written in ${language}`, () => {
    test('A right input passes', () => {
      const input = { name: 'n', count: 2, mode: 'fast', items: [{ label: 'l' }], either: ['x'] };
      assert.deepEqual(validatorOf(schema)(input), { ok: true, input });
    });

    test('Everything that is wrong is named, not only the first thing', () => {
      const issues = issuesOf(schema, { name: 7, mode: 'medium', items: [{ label: 'l' }, { label: null, colour: 1 }], surplus: true });
      assert.deepEqual(brief(issues), [
        'type items.1.label string null',
        'type mode "fast" | "slow" "medium"',
        'type name string number',
        'unexpected items.1.colour',
        'unexpected surplus',
      ]);
    });

    test('Parameters that are not there are missing, whatever their type', () => {
      const issues = issuesOf(schema, { items: [{}] });
      assert.deepEqual(issues.map(({ kind, path }) => `${kind} ${path.join('.')}`).toSorted(), [
        'missing items.0.label',
        'missing mode',
        'missing name',
      ]);
    });

    test('A value of none of the types of a union gives one issue with all its types', () => {
      const issues = issuesOf(schema, { name: 'n', mode: 'fast', items: [], either: 5 });
      assert.deepEqual(brief(issues), ['type either string | array number']);
    });

    test('A value near one branch of a union is told what that branch wants', () => {
      const issues = issuesOf(schema, { name: 'n', mode: 'fast', items: [], either: ['x', 5] });
      assert.deepEqual(brief(issues), ['type either.1 string number']);
    });

    test('A fraction is no integer, and an input that is no object is told so', () => {
      assert.equal(brief(issuesOf(schema, { name: 'n', mode: 'fast', items: [], count: 2.5 })).length, 1);
      assert.deepEqual(brief(issuesOf(schema, [])), ['type (root) object array']);
    });

    test('Names of built-in properties are unexpected like any other', () => {
      const input: unknown = JSON.parse('{"name": "n", "mode": "fast", "items": [], "constructor": 1, "toString": 2}');
      assert.deepEqual(brief(issuesOf(schema, input)), ['unexpected constructor', 'unexpected toString']);
    });

    test('Every issue has a message', () => {
      const issues = issuesOf(schema, { name: 7, mode: 1, items: {}, either: null, more: 1 });
      assert.ok(issues.length >= 5);
      for (const issue of issues) assert.ok(issue.message.length > 5);
    });
  });
}

/** What each wrong value is told, by its key. */
function messagesOf(inputSchema: unknown, input: unknown): Record<string, string> {
  return Object.fromEntries(issuesOf(inputSchema, input).map(({ path, message }) => [path.join('.'), message]));
}

describe('What a value must be is said in plain words', () => {
  const wrong = { name: '', code: 'x', tags: ['a'], level: 0, share: 1, whole: 2.5, step: 5, long: 'abcd' };
  const expected = {
    name: 'must not be empty',
    code: 'must have exactly 3 characters',
    tags: 'must have at least 2 items',
    level: 'must be at least 1',
    share: 'must be less than 1',
    whole: 'must be a whole number',
    step: 'must be a multiple of 2',
    long: 'must have at most 3 characters',
  };
  const schemas = {
    'Zod 4': z.object({
      name: z.string().min(1),
      code: z.string().length(3),
      tags: z.array(z.string()).min(2),
      level: z.number().min(1),
      share: z.number().lt(1),
      whole: z.int(),
      step: z.number().multipleOf(2),
      long: z.string().max(3),
    }),
    'zod/v3': z3.object({
      name: z3.string().min(1),
      code: z3.string().length(3),
      tags: z3.array(z3.string()).min(2),
      level: z3.number().min(1),
      share: z3.number().lt(1),
      whole: z3.number().int(),
      step: z3.number().multipleOf(2),
      long: z3.string().max(3),
    }),
  };
  for (const [language, schema] of Object.entries(schemas)) {
    test(`by a tool written in ${language}`, () => assert.deepEqual(messagesOf(schema, wrong), expected));
  }

  test('by a tool written in JSON Schema', () => {
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 1 },
        tags: { type: 'array', minItems: 2 },
        level: { type: 'number', minimum: 1 },
        share: { type: 'number', exclusiveMaximum: 1 },
        whole: { type: 'integer' },
        step: { type: 'number', multipleOf: 2 },
        long: { type: 'string', maxLength: 3 },
      },
    };
    const { code: _, ...rest } = expected;
    assert.deepEqual(messagesOf(schema, wrong), rest);
  });

  test('of formats, parts and kinds of numbers, in both versions of Zod', () => {
    const input = { mail: 'x', start: 'b', inside: 'b', end: 'b', number: NaN, never: 'x' };
    const told = {
      mail: 'must be a valid email',
      start: 'must start with "a"',
      inside: 'must contain "a"',
      end: 'must end with "a"',
      number: 'must be a finite number',
      never: 'has a value that the tool does not take',
    };
    for (const [text, number, object] of [
      [z.string(), z.number(), z.object],
      [z3.string(), z3.number(), z3.object],
    ] as [z.ZodString, z.ZodNumber, typeof z.object][]) {
      const schema = object({
        mail: text.email(),
        start: text.startsWith('a'),
        inside: text.includes('a'),
        end: text.endsWith('a'),
        number,
        never: text.refine(() => false),
      });
      assert.deepEqual(messagesOf(schema, input), told);
    }
  });

  test('but the words of the tool’s author come first', () => {
    for (const schema of [z.object({ a: z.string().min(3, 'needs a name') }), z3.object({ a: z3.string().min(3, 'needs a name') })]) {
      assert.deepEqual(messagesOf(schema, { a: 'x' }), { a: 'needs a name' });
    }
  });

  test('and a model reads them after the name of the parameter', () => {
    const issues = issuesOf(z.strictObject({ text: z.string().min(1), count: z.int().min(1) }), { text: '', count: 2.5 });
    assert.match(describeIssues(issues), /\n- `text`: must not be empty\n- `count`: must be a whole number$/);
  });
});

describe('A union in JSON Schema', () => {
  const $defs = {
    point: { type: 'object', properties: { x: { type: 'number' }, y: { type: 'number' } }, required: ['x', 'y'] },
    node: {
      type: 'object',
      properties: { n: { type: 'number' }, next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } },
      required: ['n'],
    },
  };
  const told = (p: object, value: unknown): string[] => brief(issuesOf({ type: 'object', properties: { p }, $defs }, { p: value }));

  test('of a part that is referred to, or nothing, is told as what that part lacks', () => {
    const optional = { anyOf: [{ $ref: '#/$defs/point' }, { type: 'null' }] };
    assert.deepEqual(told(optional, { x: 'a' }), ['missing p.y', 'type p.x number string']);
    assert.deepEqual(told(optional, 5), ['type p object | null number']);
    assert.deepEqual(told({ oneOf: [{ type: 'null' }, { $ref: '#/$defs/point' }] }, { x: 1 }), ['missing p.y']);
    assert.deepEqual(told({ items: optional }, [5, null, { y: 1 }]), ['missing p.2.x', 'type p.0 object | null number']);
  });

  test('of parts that are referred to is told as what the nearest of them lacks', () => {
    const either = { anyOf: [{ $ref: '#/$defs/point' }, { $ref: '#/$defs/node' }] };
    assert.deepEqual(told(either, { n: 'a' }), ['type p.n number string']);
  });

  test('that holds itself is told at the level that is wrong', () => {
    const node = { $ref: '#/$defs/node' };
    assert.deepEqual(told(node, { n: 1, next: { n: 2, next: { n: 'x', next: 5 } } }), [
      'type p.next.next.n number string',
      'type p.next.next.next object | null number',
    ]);
  });

  test('is told for each item of a list by itself', () => {
    const items = { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] };
    assert.deepEqual(told({ items }, [5, ['x', 5], 'x', ['y', 6]]), [
      'type p.0 string | array number',
      'type p.1.1 string number',
      'type p.3.1 string number',
    ]);
  });

  test('of which a branch has more errors than are told is still one union', () => {
    const many = Array.from({ length: 300 }, () => 1);
    const issues = told({ anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }, many);
    assert.equal(issues.length, 100);
    assert.ok(!issues.some((issue) => issue.startsWith('type p string')), 'the list is no text, and was not meant to be one');
  });

  test('that holds a list of values shows the value that is none of them', () => {
    assert.deepEqual(told({ anyOf: [{ type: 'string', enum: ['a', 'b'] }, { type: 'null' }] }, 'c'), ['type p "a" | "b" | null "c"']);
  });

  test('of which two branches fit where one may is not told as if another did not fit', () => {
    const issues = issuesOf(
      { type: 'object', properties: { p: { oneOf: [{ minLength: 5 }, { type: 'string' }, { const: 'a' }] } } },
      { p: 'a' },
    );
    assert.deepEqual(issues, [{ kind: 'other', path: ['p'], message: 'must match exactly one schema in oneOf' }]);
  });
});

describe('Input validators', () => {
  test('A JSON Schema may have keys by which Zod is known', () => {
    for (const key of ['_zod', '_def', 'safeParse']) {
      const schema = { [key]: {}, type: 'object', properties: { a: { type: 'string' } } };
      assert.deepEqual(brief(issuesOf(schema, { a: 1 })), ['type a string number']);
    }
  });

  test('A choice by a key that names the kind tells which kinds there are, or what the chosen one lacks', () => {
    const schema = z.object({
      shape: z.discriminatedUnion('kind', [z.object({ kind: z.literal('circle'), r: z.number() }), z.object({ kind: z.literal('dot') })]),
    });
    assert.deepEqual(brief(issuesOf(schema, { shape: { kind: 'square' } })), ['type shape.kind "circle" | "dot" "square"']);
    assert.deepEqual(brief(issuesOf(schema, { shape: { kind: 'circle' } })), ['missing shape.r number']);
    assert.deepEqual(brief(issuesOf(schema, { shape: {} })), ['missing shape.kind "circle" | "dot"']);
  });

  test('A value that is of the right type but too long is neither missing nor of a wrong type', () => {
    const [issue] = issuesOf(z.object({ text: z.string().max(3) }), { text: 'long' });
    assert.equal(issue?.kind, 'other');
    assert.deepEqual(issue?.path, ['text']);
  });

  test('Defaults are filled in, and unknown keys of a lenient object are dropped', () => {
    const schema = z.object({ n: z.int().default(3) });
    assert.deepEqual(validatorOf(schema)({ extra: 1 }), { ok: true, input: { n: 3 } });
  });

  test('A refinement that throws, or needs to wait, refuses the input', () => {
    const throwing = z.object({
      a: z.string().refine(() => {
        throw new Error('broken check');
      }),
    });
    assert.match(issuesOf(throwing, { a: 'x' })[0]?.message ?? '', /broken check/);
    const waiting = z.object({ a: z.string().refine(async () => true) });
    assert.equal(issuesOf(waiting, { a: 'x' })[0]?.kind, 'other');
  });

  test('A pattern that would run for ever is not run', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string', pattern: '^(a+)+$' } },
      patternProperties: { '^(x+)+$': { type: 'string' } },
      additionalProperties: false,
    };
    const validate = validatorOf(schema);
    assert.equal(validate({ a: `${'a'.repeat(40)}!` }).ok, true);
    assert.equal(validate({ [`${'x'.repeat(40)}!`]: 1 }).ok, true);
    assert.equal(validate({ a: 1 }).ok, false);
  });

  test('A schema that asks for asynchronous validation still refuses a wrong input at once', () => {
    const schema = { $async: true, type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    assert.deepEqual(brief(issuesOf(schema, {})), ['missing a']);
  });

  test('Two schemas with one id do not disturb each other', () => {
    const [first, second] = ['string', 'number'].map((type) => validatorOf({ $id: 'same', type: 'object', properties: { a: { type } } }));
    assert.equal(first?.({ a: 'x' }).ok, true);
    assert.equal(second?.({ a: 'x' }).ok, false);
  });

  test('References inside a schema are followed, and those to elsewhere are refused', () => {
    const schema = { type: 'object', properties: { p: { $ref: '#/$defs/point' } }, $defs: { point: { type: 'object', required: ['x'] } } };
    assert.deepEqual(brief(issuesOf(schema, { p: {} })), ['missing p.x']);
    assert.throws(() => validatorOf({ type: 'object', properties: { p: { $ref: 'https://example.com/schema' } } }), ToolDefinitionError);
  });

  test('The words of the newest draft are enforced: lists by position, and what no part of the schema names', () => {
    const schema = {
      allOf: [{ properties: { pair: { prefixItems: [{ type: 'string' }, { type: 'number' }], items: false } } }],
      unevaluatedProperties: false,
    };
    assert.equal(validatorOf(schema)({ pair: ['x', 1] }).ok, true);
    assert.deepEqual(brief(issuesOf(schema, { pair: ['x', 'y'] })), ['type pair.1 number string']);
    assert.deepEqual(brief(issuesOf(schema, { more: 1 })), ['unexpected more']);
  });

  test('A key that a pattern might mean is let through, where what no part names is refused as well', () => {
    const schema = { type: 'object', allOf: [{ patternProperties: { '^x-': {} } }], unevaluatedProperties: false };
    assert.ok(validatorOf(schema)({ 'x-a': 1 }).ok);
    assert.deepEqual(
      brief(issuesOf({ type: 'object', allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }, { a: 1, b: 1 })),
      ['unexpected b'],
    );
  });

  test('A union knows what those of its branches know that fit', () => {
    for (const union of ['anyOf', 'oneOf']) {
      const [a, b] = ['a', 'b'].map((name) => ({ properties: { [name]: { type: 'string' } }, required: [name] }));
      const schema = { type: 'object', [union]: [a, b], unevaluatedProperties: false };
      assert.ok(validatorOf(schema)({ a: 'x' }).ok);
      assert.equal(validatorOf(schema)({ a: 'x', b: 'x' }).ok, union === 'anyOf');
      assert.equal(validatorOf(schema)({ a: 'x', c: 'x' }).ok, false);
    }
  });

  test('Nesting without end is refused, not a crash', () => {
    const schema = { type: 'object', properties: { next: { $ref: '#' } }, additionalProperties: false };
    let input: unknown = {};
    for (let depth = 0; depth < 200_000; depth += 1) input = { next: input };
    assert.equal(issuesOf(schema, input)[0]?.kind, 'other');
  });

  test('A part that is referred to in a negation beside a branch that failed is judged as anywhere else', () => {
    const closed = { type: 'object', additionalProperties: false };
    const schema = {
      anyOf: [closed, { ...closed, properties: { a: { not: { not: { $ref: '#/$defs/node' } } } } }],
      $defs: { node: { type: 'object' } },
    };
    assert.equal(validatorOf({ type: 'object', ...schema })({ a: '' }).ok, false);
    assert.equal(validatorOf({ type: 'object', ...schema })({ a: {} }).ok, true);
  });

  test('Many thousand wrong items give a bounded number of issues', () => {
    const wrong = { list: Array.from({ length: 50_000 }, () => 1) };
    for (const schema of [
      z.object({ list: z.array(z.string()) }),
      { type: 'object', properties: { list: { type: 'array', items: { type: 'string' } } } },
      { type: 'object', properties: { list: { items: { $ref: '#/$defs/a' } } }, $defs: { a: { type: 'string', not: { $ref: '#' } } } },
    ]) {
      const issues = issuesOf(schema, wrong);
      assert.ok(issues.length > 10 && issues.length <= 100);
    }
  });

  test('A schema is compiled once, and one that cannot be compiled names its tool', () => {
    const tool = sampleTool('Sample', { inputSchema: SHAPES['JSON Schema'] as JsonSchema });
    assert.equal(inputValidator(tool), inputValidator(tool));
    assert.throws(() => validatorOf({ type: 'object', properties: { a: { type: 'strin' } } }), /Sample/);
  });
});
