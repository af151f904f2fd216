import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import type { CallContext, PermissionContext } from '../../src/contract/index.ts';
import { buildTool, ToolDefinitionError } from '../../src/contract/index.ts';

const minimal = {
  name: 'Echo',
  inputSchema: z.strictObject({ text: z.string() }),
  description: () => 'Gives the text back.',
  call: ({ text }: { text: string }) => ({ content: text }),
};
const nowhere = {} as PermissionContext & CallContext;

/** As an author without types would write it. */
function buildUntyped(definition: unknown): ReturnType<typeof buildTool<typeof minimal.inputSchema>> {
  return buildTool(definition as typeof minimal);
}

describe('buildTool', () => {
  test('A tool that says nothing of its safety is enabled, and neither concurrency-safe, read-only nor destructive', () => {
    const tool = buildTool(minimal);
    assert.equal(tool.isEnabled({ platform: 'linux', flags: new Set() }), true);
    assert.equal(tool.isConcurrencySafe({ text: 'x' }), false);
    assert.equal(tool.isReadOnly({ text: 'x' }), false);
    assert.equal(tool.isDestructive({ text: 'x' }), false);
    assert.equal(tool.effect({ text: 'x' }), 'once');
    assert.equal(tool.abortsSiblings, false);
    assert.equal(tool.maxResultChars, 50_000);
  });

  test('A tool without a permission check of its own allows the same input', async () => {
    const input = { text: 'x' };
    const answer = await buildTool(minimal).checkPermissions(input, nowhere);
    assert.equal(answer.behavior, 'allow');
    assert.ok(answer.behavior === 'allow' && answer.input === input);
  });

  test('A tool is hidden from the safety classifier and shown under its name unless it says otherwise', () => {
    const tool = buildTool(minimal);
    assert.equal(tool.toAutoClassifierInput({ text: 'x' }), '');
    assert.equal(tool.userFacingName(undefined), 'Echo');
    assert.deepEqual(tool.aliases, []);
  });

  test('What the definition says beats the default', () => {
    const tool = buildTool({ ...minimal, isReadOnly: ({ text }) => text === 'look', maxResultChars: 7, aliases: ['Say'] });
    assert.equal(tool.isReadOnly({ text: 'look' }), true);
    assert.equal(tool.isReadOnly({ text: 'write' }), false);
    assert.equal(tool.maxResultChars, 7);
    assert.deepEqual(tool.aliases, ['Say']);
  });

  test('A key given as undefined does not erase a default', () => {
    const tool = buildUntyped({ ...minimal, isReadOnly: undefined, timeoutMs: undefined, userFacingName: undefined });
    assert.equal(tool.isReadOnly({ text: 'x' }), false);
    assert.ok(tool.timeoutMs > 0);
    assert.equal(tool.userFacingName(undefined), 'Echo');
  });

  for (const key of ['name', 'inputSchema', 'description', 'call']) {
    test(`A definition without ${key} is refused with an error that names it`, () => {
      assert.throws(
        () => buildUntyped({ ...minimal, [key]: undefined }),
        (error) => {
          assert.ok(error instanceof ToolDefinitionError);
          assert.match(error.message, new RegExp(key));
          return true;
        },
      );
    });
  }

  for (const name of ['', 'two words', 'a/b', 'naïve', 'x'.repeat(65), 'line\n', 7]) {
    test(`The name ${JSON.stringify(name).slice(0, 20)} is refused`, () => {
      assert.throws(() => buildUntyped({ ...minimal, name }), ToolDefinitionError);
    });
  }

  test('A name of 64 letters, digits, underscores and hyphens is taken', () => {
    const name = `mcp__server-1__${'x'.repeat(49)}`;
    assert.equal(name.length, 64);
    assert.equal(buildTool({ ...minimal, name }).name, name);
  });

  test('A built tool cannot be changed afterwards', () => {
    const tool = buildTool(minimal);
    assert.throws(() => Object.assign(tool, { isReadOnly: () => true }), TypeError);
  });
});
