import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type JsonSchema, type Tool, TOOL_FORMATS } from '../../src/contract/index.ts';
import { assemblePool } from '../../src/toolbox/assemble.ts';
import { names, sampleTool } from './sample-tools.ts';

const enable = { platform: 'linux', flags: new Set<string>() } as const;
const context = { workspace: '/workspace' };

/** What an author without types may write. */
function enabledBy(name: string, isEnabled: () => unknown): Tool {
  return sampleTool(name, { isEnabled: isEnabled as Tool['isEnabled'] });
}

function hash(builtIn: readonly Tool[], workspace = '/workspace'): string {
  return assemblePool({ builtIn, enable }).hash({ workspace });
}

describe('A session’s tools', () => {
  test('Built-in tools come first, then external ones, each by code point', () => {
    const builtIn = ['b', 'Z', 'a', '_'].map((name) => sampleTool(name));
    const external = ['mcp__x__b', 'A', 'mcp__x__B'].map((name) => sampleTool(name));
    const pool = assemblePool({ builtIn, external, enable });
    assert.deepEqual(names(pool.tools), ['Z', '_', 'a', 'b', 'A', 'mcp__x__B', 'mcp__x__b']);
    assert.equal(pool.count, 7);
  });

  test('Fifty external tools more leave the bytes of the built-in ones in front of them as they were, in every format', () => {
    const builtIn = ['Read', 'Bash', 'Zip'].map((name) => sampleTool(name));
    const external = Array.from({ length: 50 }, (_, at) => sampleTool(`A${at}`, { shouldDefer: at % 2 === 0 }));
    const deferral = { deferred: (tool: Tool) => tool.shouldDefer };
    for (const format of TOOL_FORMATS) {
      const before = JSON.stringify(assemblePool({ builtIn, enable }).export(format, context, deferral));
      const after = JSON.stringify(assemblePool({ builtIn, external, enable }).export(format, context, deferral));
      assert.ok(after.startsWith(`${before.slice(0, -1)},`), format);
    }
  });

  test('On equal names the built-in tool wins', () => {
    const builtIn = [sampleTool('Read', { searchHint: 'ours' })];
    const pool = assemblePool({ builtIn, external: [sampleTool('Read', { searchHint: 'theirs' })], enable });
    assert.equal(pool.count, 1);
    assert.equal(pool.catalog.find('Read')?.searchHint, 'ours');
  });

  test('Of external tools with one name the first is there, and the other is told of', () => {
    const told: string[] = [];
    const external = [sampleTool('x', { searchHint: 'first' }), sampleTool('x', { searchHint: 'second' }), sampleTool('Read')];
    const pool = assemblePool({
      builtIn: [sampleTool('Read')],
      external,
      enable,
      onLeftOut: (name, reason) => told.push(`${name}: ${reason}`),
    });
    assert.deepEqual(names(pool.tools), ['Read', 'x']);
    assert.equal(pool.catalog.find('x')?.searchHint, 'first');
    assert.deepEqual(told, ['x: another tool from outside has this name and came first', 'Read: a built-in tool has this name']);
  });

  test('The former names of an external tool take nothing from any other tool', () => {
    const builtIn = [sampleTool('Agent', { aliases: ['Task'] }), sampleTool('Read')];
    const external = [sampleTool('x', { aliases: ['Task', 'Read', 'same'] }), sampleTool('y', { aliases: ['same'] })];
    const { catalog, count } = assemblePool({ builtIn, external, enable });
    assert.equal(count, 4);
    assert.deepEqual(
      ['Task', 'Read', 'same', 'y'].map((name) => catalog.find(name)?.name),
      ['Agent', 'Read', 'x', 'y'],
    );
  });

  test('One external tool with a broken schema is left out, and the others are there', () => {
    const told: string[] = [];
    const broken: JsonSchema[] = [{ type: 'array' }, { type: 'object', properties: { a: { type: 'strin' } } }, { $ref: '#/$defs/gone' }];
    const external = [...broken.map((inputSchema, at) => sampleTool(`bad${at}`, { inputSchema })), sampleTool('good')];
    const pool = assemblePool({ builtIn: [], external, enable, onLeftOut: (name) => told.push(name) });
    assert.deepEqual(names(pool.tools), ['good']);
    assert.deepEqual(told, ['bad0', 'bad1', 'bad2']);
    for (const format of TOOL_FORMATS) assert.equal(pool.export(format, context).length, 1);
  });

  test('A thousand external tools are assembled, exported and hashed without compiling one validator', (t) => {
    const compile = t.mock.method(Ajv2020.prototype, 'compile');
    const external = Array.from({ length: 1_000 }, (_, at) =>
      sampleTool(`mcp__s__t${at}`, {
        inputSchema: { type: 'object', properties: { [`p${at}`]: { type: 'string' } }, required: [`p${at}`] },
      }),
    );
    const pool = assemblePool({ builtIn: [], external, enable });
    assert.equal(pool.export('anthropic', context).length, 1_000);
    assert.match(pool.hash(context), /^sha256:/);
    assert.equal(compile.mock.callCount(), 0);
    assert.equal(pool.catalog.validate(pool.tools[0]!, {}).ok, false);
    assert.equal(compile.mock.callCount(), 1);
  });

  test('A tool that is always there needs no mention, cannot be left out, and can still be denied', () => {
    const builtIn = ['Read', 'Search', 'Bash'].map((name) => sampleTool(name));
    const always = ({ name }: Tool): boolean => name === 'Search';
    assert.deepEqual(names(assemblePool({ builtIn, include: ['Read'], always, enable }).tools), ['Read', 'Search']);
    assert.deepEqual(names(assemblePool({ builtIn, include: [], always, exclude: ['Search'], enable }).tools), ['Search']);
    assert.deepEqual(names(assemblePool({ builtIn, include: [], always, isDenied: always, enable }).tools), []);
  });

  test('When it cannot be told whether a tool is denied, it is', () => {
    const isDenied = ({ name }: Tool): boolean => {
      if (name === 'Bash') throw new Error('rules are broken');
      return false;
    };
    assert.deepEqual(names(assemblePool({ builtIn: [sampleTool('Bash'), sampleTool('Read')], isDenied, enable }).tools), ['Read']);
  });

  test('Tools are chosen and left out by name or by a former name', () => {
    const builtIn = [sampleTool('Agent', { aliases: ['Task'] }), sampleTool('Bash'), sampleTool('Read')];
    assert.deepEqual(names(assemblePool({ builtIn, include: ['Task', 'Read'], enable }).tools), ['Agent', 'Read']);
    assert.deepEqual(names(assemblePool({ builtIn, exclude: ['Task'], enable }).tools), ['Bash', 'Read']);
    assert.deepEqual(names(assemblePool({ builtIn, include: ['Bash'], exclude: ['Bash'], enable }).tools), []);
    assert.equal(assemblePool({ builtIn, include: null, enable }).count, 3);
  });

  test('A tool that is left out is not found by the engine; one that a deny rule names is, for that rule to answer, and models do not see it', () => {
    const builtIn = ['Bash', 'Read', 'Write'].map((name) => sampleTool(name));
    const { catalog, tools } = assemblePool({ builtIn, exclude: ['Bash'], isDenied: (tool) => tool.name === 'Write', enable });
    assert.equal(catalog.find('Bash'), undefined);
    assert.equal(catalog.find('Write')?.name, 'Write');
    assert.equal(catalog.find('Read')?.name, 'Read');
    assert.deepEqual(catalog.names?.(), ['Read']);
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['Read'],
    );
  });

  test('Only a tool that says exactly true is enabled', () => {
    const builtIn = [
      enabledBy('Yes', () => true),
      enabledBy('No', () => false),
      enabledBy('Later', async () => true),
      enabledBy('Truthy', () => 1),
      enabledBy('Broken', () => {
        throw new Error('broken');
      }),
    ];
    assert.deepEqual(names(assemblePool({ builtIn, enable }).tools), ['Yes']);
  });

  test('The hash is the same for the same tools in any order, and another for another text, schema or tool', () => {
    const tools = ['Read', 'Bash'].map((name) => sampleTool(name));
    assert.match(hash(tools), /^sha256:[0-9a-f]{64}$/);
    assert.equal(hash(tools), hash(tools.toReversed()));
    const others = [
      hash(tools.slice(1)),
      hash(tools, '/elsewhere'),
      hash([sampleTool('Read', { description: () => 'other' }), sampleTool('Bash')]),
      hash([sampleTool('Read', { inputSchema: { type: 'object', required: ['a'] } }), sampleTool('Bash')]),
    ];
    assert.equal(new Set([hash(tools), ...others]).size, 5);
  });

  test('The hash tells which deferred tools are loaded', () => {
    const pool = assemblePool({ builtIn: ['A', 'B', 'C'].map((name) => sampleTool(name)), enable });
    const deferred = ({ name }: Tool): boolean => name !== 'A';
    const loaded = (name: string) => ({ deferred, loaded: (tool: Tool) => tool.name === name });
    const hashes = [{}, { deferred }, loaded('B'), loaded('C')].map((deferral) => pool.hash(context, deferral));
    assert.equal(new Set(hashes).size, 4);
    // The schema of one that is not deferred was there from the start.
    assert.equal(pool.hash(context, loaded('A')), pool.hash(context, { deferred }));
  });
});
