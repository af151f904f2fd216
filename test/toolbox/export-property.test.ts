import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import { type JsonSchema, type Tool, TOOL_FORMATS, type ToolFormat } from '../../src/contract/index.ts';
import { schemaFault } from '../../src/toolbox/input/check-schema.ts';
import { exportTools } from '../../src/toolbox/schemas/export-formats.ts';
import { inputValidator } from '../../src/toolbox/input/input-validator.ts';
import { sampleTool } from './sample-tools.ts';
import { closedUnions, inputs, objectSchemas, unionSchemas, zodObjects } from './schema-samples.ts';

const REFUSED_AT_ROOT = ['$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'const', 'not', '$schema', '$id'];
const manyInputs = fc.array(inputs, { minLength: 10, maxLength: 20 });

function schemaIn(format: ToolFormat, tool: Tool): JsonSchema {
  const [definition] = exportTools([tool], { format, context: { workspace: '/workspace' } });
  assert.ok(definition);
  if ('function' in definition) return definition.function.parameters;
  if ('parameters' in definition) return definition.parameters;
  return 'inputSchema' in definition ? definition.inputSchema : definition.input_schema;
}

/** A validator that knows nothing of the project, and refuses what the standard does not know. */
function plainly(schema: JsonSchema): (input: unknown) => boolean {
  const off = { strictTypes: false, strictTuples: false, strictRequired: false, validateFormats: false } as const;
  const validate = new Ajv2020({ strict: true, ...off }).compile(schema);
  return (input) => validate(input);
}

interface Tally {
  accepted: number;
  refused: number;
}

/** Judges each input by the exported schema of every format and by the validator. */
function compare(tool: Tool, samples: readonly unknown[], agree: (exported: boolean, ours: boolean) => boolean): Tally {
  const validate = inputValidator(tool);
  const ours = samples.map((sample) => validate(sample).ok);
  for (const schema of new Set(TOOL_FORMATS.map((format) => schemaIn(format, tool)))) {
    for (const key of REFUSED_AT_ROOT) assert.ok(!(key in schema), `${key} at the root`);
    assert.equal(schema['type'], 'object');
    const exported = plainly(schema);
    for (const [at, sample] of samples.entries()) {
      const [byExport, byUs] = [exported(sample), ours[at] === true];
      assert.ok(agree(byExport, byUs), JSON.stringify({ written: tool.inputSchema, schema, sample, byExport, byUs }));
    }
  }
  const accepted = ours.filter(Boolean).length;
  return { accepted, refused: ours.length - accepted };
}

/** Compares until a good part of the inputs was accepted and another refused. */
function holdsFor<Schema>(schemas: fc.Arbitrary<Schema>, toolOf: (schema: Schema) => Tool, agree = same): void {
  let [accepted, refused] = [0, 0];
  const property = fc.property(schemas, manyInputs, (schema, samples) => {
    const tally = compare(toolOf(schema), samples, agree);
    accepted += tally.accepted;
    refused += tally.refused;
  });
  fc.assert(property, { numRuns: 100 });
  assert.ok(accepted > 100 && refused > 100, JSON.stringify({ accepted, refused }));
}

const same = (exported: boolean, ours: boolean): boolean => exported === ours;

describe('What the exported schema accepts, the validator accepts, and the other way round', () => {
  test('for JSON Schemas', () => {
    holdsFor(objectSchemas, (inputSchema) => sampleTool('T', { inputSchema }));
  });

  for (const [language, zod] of [
    ['Zod 4', z],
    // Both versions have the functions that the samples use.
    ['zod/v3', z3 as unknown as typeof z],
  ] as const) {
    test(`for schemas of ${language}`, () => {
      holdsFor(zodObjects, (make) => sampleTool('T', { inputSchema: make(zod) }));
    });
  }
});

describe('A schema whose root is a choice', () => {
  test('accepts in its exported form all that the validator accepts, as a plain object', () => {
    holdsFor(
      unionSchemas,
      (inputSchema) => sampleTool('T', { inputSchema }),
      (exported, ours) => exported || !ours,
    );
  });
});

describe('A schema whose root closes several shapes', () => {
  test('accepts in its exported form all that the validator accepts', () => {
    holdsFor(
      closedUnions,
      (inputSchema) => sampleTool('T', { inputSchema }),
      (exported, ours) => exported || !ours,
    );
  });
});

/** Schemas with a mistake in them, as often as not. */
const doubtful = fc
  .tuple(
    objectSchemas,
    fc.constantFrom<unknown>(
      { type: 'strin' },
      { $ref: '#/$defs/gone' },
      { $ref: 'https://example.com/other' },
      { enum: [] },
      { minLength: '1' },
      { anyOf: {} },
      { required: true },
      { $ref: '#anchor' },
      { $anchor: 'anchor' },
      { type: [] },
      { items: 7 },
      { type: 'string' },
      { allOf: [] },
      { multipleOf: 0 },
      { $id: 'https://example.com/a' },
      7,
    ),
  )
  .map(([schema, part]) => ({ ...schema, properties: { ...(schema['properties'] as object), doubtful: part } }));

describe('Schemas of strangers', () => {
  test('that pass the quick look at the start compile when the first call comes', () => {
    const tally = { accepted: 0, refused: 0 };
    fc.assert(
      fc.property(doubtful, (inputSchema) => {
        const tool = sampleTool('T', { inputSchema: inputSchema as JsonSchema });
        const fault = schemaFault(tool);
        tally[fault === undefined ? 'accepted' : 'refused'] += 1;
        if (fault === undefined) assert.doesNotThrow(() => inputValidator(tool));
      }),
      { numRuns: 200 },
    );
    assert.ok(tally.accepted > 20 && tally.refused > 50, JSON.stringify(tally));
  });
});
