// What becomes of a schema when it is compiled: how much code, and how deep its blocks stand inside of each other. Both decide
// how long everybody waits for the first call of a tool.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonSchema } from '../../src/contract/index.ts';
import { inputValidator } from '../../src/toolbox/input/input-validator.ts';
import { sampleTool } from './sample-tools.ts';

/** All code that is written while a schema is compiled. */
function codeOf(schema: JsonSchema): string {
  const original = globalThis.Function;
  const written: string[] = [];
  globalThis.Function = new Proxy(original, {
    construct(target, texts: string[]) {
      written.push(texts.at(-1) ?? '');
      return Reflect.construct(target, texts) as object;
    },
  });
  try {
    inputValidator(sampleTool('Sample', { inputSchema: { type: 'object', ...schema } }));
  } finally {
    globalThis.Function = original;
  }
  return written.join('\n');
}

/** Blocks inside of blocks. */
function depthOf(code: string): number {
  let [depth, deepest] = [0, 0];
  for (const character of code.replaceAll(/"(\\.|[^"\\])*"/g, '""')) {
    depth += character === '{' ? 1 : character === '}' ? -1 : 0;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

const list = <Item>(length: number, itemAt: (at: number) => Item): Item[] => Array.from({ length }, (_, at) => itemAt(at));
const named = (length: number, partAt: (at: number) => unknown): JsonSchema =>
  Object.fromEntries(list(length, (at) => [`p${at}`, partAt(at)]));

describe('The code of a schema', () => {
  for (const union of ['anyOf', 'oneOf']) {
    test(`stands no deeper for the hundredth branch of ${union} than for the first`, () => {
      const schema = (branches: number): JsonSchema => ({ properties: { a: { [union]: list(branches, (minLength) => ({ minLength })) } } });
      assert.equal(depthOf(codeOf(schema(300))), depthOf(codeOf(schema(2))));
    });
  }

  test('is there once for a part that many references name', () => {
    const part = { allOf: list(20, (minLength) => ({ minLength })) };
    const schema = (references: number): JsonSchema => ({
      properties: named(references, () => ({ $ref: '#/$defs/part' })),
      $defs: { part },
    });
    const [few, many] = [10, 20].map((references) => codeOf(schema(references)).length) as [number, number];
    const whole = codeOf({ properties: { a: part } }).length;
    assert.ok(many - few < 2 * whole, `${many - few} characters more for ten references to a part of ${whole}`);
  });

  test('does not tell at each reference what the part knows, where nothing asks', () => {
    const part = { properties: named(100, () => ({ minLength: 1 })) };
    const code = (references: number): number =>
      codeOf({ anyOf: list(references, () => ({ $ref: '#/$defs/part' })), $defs: { part } }).length;
    assert.ok(code(20) - code(10) < 10_000, `${code(20) - code(10)} characters more for ten references`);
  });
});
