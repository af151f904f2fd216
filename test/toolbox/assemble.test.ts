import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Tool } from '../../src/contract/index.ts';
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

  test('An external tool more leaves the bytes of the built-in ones in front of it as they were', () => {
    const builtIn = ['Read', 'Bash'].map((name) => sampleTool(name));
    const before = JSON.stringify(assemblePool({ builtIn, enable }).export('anthropic', context));
    const after = JSON.stringify(assemblePool({ builtIn, external: [sampleTool('Aaa')], enable }).export('anthropic', context));
    assert.ok(after.startsWith(before.slice(0, -1)));
    assert.ok(after.length > before.length);
  });

  test('On equal names the built-in tool wins', () => {
    const builtIn = [sampleTool('Read', { searchHint: 'ours' })];
    const pool = assemblePool({ builtIn, external: [sampleTool('Read', { searchHint: 'theirs' })], enable });
    assert.equal(pool.count, 1);
    assert.equal(pool.catalog.find('Read')?.searchHint, 'ours');
  });

  test('Tools are chosen and left out by name or by a former name', () => {
    const builtIn = [sampleTool('Agent', { aliases: ['Task'] }), sampleTool('Bash'), sampleTool('Read')];
    assert.deepEqual(names(assemblePool({ builtIn, include: ['Task', 'Read'], enable }).tools), ['Agent', 'Read']);
    assert.deepEqual(names(assemblePool({ builtIn, exclude: ['Task'], enable }).tools), ['Bash', 'Read']);
    assert.deepEqual(names(assemblePool({ builtIn, include: ['Bash'], exclude: ['Bash'], enable }).tools), []);
    assert.equal(assemblePool({ builtIn, include: null, enable }).count, 3);
  });

  test('A tool that is left out, or that a deny rule names, is not found by the engine', () => {
    const builtIn = ['Bash', 'Read', 'Write'].map((name) => sampleTool(name));
    const { catalog } = assemblePool({ builtIn, exclude: ['Bash'], isDenied: (tool) => tool.name === 'Write', enable });
    assert.equal(catalog.find('Bash'), undefined);
    assert.equal(catalog.find('Write'), undefined);
    assert.equal(catalog.find('Read')?.name, 'Read');
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
});
