import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Tool, TOOL_FORMATS } from '../../src/contract/index.ts';
import { loadTools } from '../../src/toolbox/load/load-tools.ts';
import { sampleTool } from './sample-tools.ts';
import { context, exportedNames, openWorld, remoteTool, servers, type World, type WorldOptions } from './toolbox-world.ts';

const notebook = sampleTool('NotebookEdit', { shouldDefer: true, searchHint: 'edit notebooks' });
const agent = sampleTool('Agent', { shouldDefer: true, alwaysLoad: true });
const pinned = sampleTool('mcp__x__pinned', { shouldDefer: true, alwaysLoad: true });
const builtIn = [sampleTool('Read'), notebook, agent];

function deferred(options: WorldOptions): string[] {
  return deferredIn(openWorld(options));
}

function deferredIn({ toolbox }: World): string[] {
  return toolbox.deferred().map(({ name }) => name);
}

/** Tools of a server whose definitions together have about so many characters. */
function heavy(chars: number): Tool[] {
  return ['a', 'b', 'c', 'd'].map((name) => remoteTool(`mcp__x__${name}`, 'x'.repeat(chars / 4)));
}

describe('Deferral', () => {
  test('on: whatever asks for it and whatever comes from outside is deferred, unless it must always be there', () => {
    const options = { builtIn, custom: [sampleTool('weather')], remote: servers(remoteTool('mcp__x__a'), pinned) };
    assert.deepEqual(deferred({ ...options, search: 'on' }), ['NotebookEdit', 'mcp__x__a', 'weather']);
    assert.deepEqual(deferred({ ...options, search: 'off' }), []);
  });

  test('auto: tools from outside are deferred once they fill a tenth of the context, built-in ones never', () => {
    const names = ['mcp__x__a', 'mcp__x__b', 'mcp__x__c', 'mcp__x__d'];
    const auto = (chars: number, more: WorldOptions = {}): string[] =>
      deferred({ builtIn, remote: servers(...heavy(chars), pinned), search: 'auto', ...more });
    assert.deepEqual(auto(78_000), []);
    assert.deepEqual(auto(80_000), names);
    assert.deepEqual(auto(3_000, { contextTokens: 10_000 }), []);
    assert.deepEqual(auto(4_000, { contextTokens: 10_000 }), names);
  });

  test('auto: what must always be there does not push the others out', () => {
    const large = sampleTool('mcp__x__large', { alwaysLoad: true, description: () => 'x'.repeat(100_000) });
    assert.deepEqual(deferred({ remote: servers(large, remoteTool('mcp__x__a')), search: 'auto' }), []);
  });

  test('auto: a tool that the client itself wants deferred is', () => {
    const custom = [sampleTool('weather', { shouldDefer: true }), sampleTool('clock')];
    assert.deepEqual(deferred({ builtIn, custom, remote: servers(remoteTool('mcp__x__a')), search: 'auto' }), ['weather']);
    assert.deepEqual(deferred({ builtIn, custom, search: 'off' }), []);
  });

  test('auto: tools stay deferred when a server leaves, once one of them was loaded, as its reference stands in the conversation', () => {
    const remote = servers(...heavy(100_000));
    const world = openWorld({ remote, search: 'auto' });
    assert.equal(deferredIn(world).length, 4);
    world.load('mcp__x__b');
    remote.set(heavy(1_000));
    assert.equal(deferredIn(world).length, 4);
  });

  test('Nothing is deferred where there is no tool to load it with', () => {
    const options = { builtIn, remote: servers(remoteTool('mcp__x__a')) };
    assert.deepEqual(deferred({ ...options, isDenied: ({ name }) => name === 'ToolSearch' }), []);
    assert.equal(deferred(options).length, 2);
  });

  test('Names of deferred tools come with what they are for, loaded or not', () => {
    const world = openWorld({ builtIn });
    const expected = [{ name: 'NotebookEdit', search_hint: 'edit notebooks' }];
    assert.deepEqual(world.toolbox.deferred(), expected);
    world.load('NotebookEdit');
    assert.deepEqual(world.toolbox.deferred(), expected);
  });

  test('For Anthropic deferred tools are marked, and loading one changes not a byte', () => {
    const world = openWorld({ builtIn, remote: servers(remoteTool('mcp__x__a')) });
    const before = world.toolbox.export('anthropic', context);
    const marked = before.filter((tool) => 'defer_loading' in tool && tool.defer_loading);
    assert.deepEqual(exportedNames(before), ['Agent', 'NotebookEdit', 'Read', 'ToolSearch', 'mcp__x__a']);
    assert.deepEqual(exportedNames(marked), ['NotebookEdit', 'mcp__x__a']);
    world.load('NotebookEdit', 'mcp__x__a');
    assert.equal(JSON.stringify(world.toolbox.export('anthropic', context)), JSON.stringify(before));
  });

  for (const format of TOOL_FORMATS.filter((name) => name !== 'anthropic')) {
    test(`For ${format} deferred tools are left out until they are loaded, and then stand in their place`, () => {
      const world = openWorld({ builtIn, remote: servers(remoteTool('mcp__x__a'), remoteTool('mcp__x__b')) });
      assert.deepEqual(exportedNames(world.toolbox.export(format, context)), ['Agent', 'Read', 'ToolSearch']);
      world.load('mcp__x__b', 'NotebookEdit');
      assert.deepEqual(exportedNames(world.toolbox.export(format, context)), ['Agent', 'NotebookEdit', 'Read', 'ToolSearch', 'mcp__x__b']);
      assert.ok(!JSON.stringify(world.toolbox.export(format, context)).includes('defer_loading'));
    });
  }

  test('Of a thousand tools from servers a model’s first prompt holds less than a tenth', async () => {
    const shipped = await loadTools(new URL('../../tools/', import.meta.url));
    const options = { builtIn: shipped.filter(({ name }) => name !== 'ToolSearch'), remote: servers(...thousandTools()) };
    for (const search of ['on', 'auto'] as const) {
      for (const format of TOOL_FORMATS) {
        const whole = promptChars(openWorld({ ...options, search: 'off' }).toolbox.export(format, context));
        const first = promptChars(openWorld({ ...options, search }).toolbox.export(format, context));
        assert.ok(first > 0 && first < whole / 10, `${search}, ${format}: ${first} of ${whole} characters`);
      }
    }
  });
});

/** Ten servers with a hundred tools each, with descriptions and parameters as such servers have them. */
function thousandTools(): Tool[] {
  const parameters = ['project', 'path', 'title', 'body', 'labels', 'limit', 'cursor', 'dry_run'];
  return Array.from({ length: 1_000 }, (_, index) => {
    const description = `Does the work number ${index}. It takes what is described below and gives what has become of it. `.repeat(3);
    return remoteTool(`mcp__server_${index % 10}__tool_${index}`, description, parameters);
  });
}

function promptChars(tools: readonly object[]): number {
  return JSON.stringify(tools.filter((tool) => !('defer_loading' in tool))).length;
}
