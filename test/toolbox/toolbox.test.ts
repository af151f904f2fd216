import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Tool } from '../../src/contract/index.ts';
import { prepare } from '../../src/engine/prepare/prepare.ts';
import { createToolboxes } from '../../src/toolbox/toolbox.ts';
import { sharedPools } from '../../src/toolbox/toolbox-shared.ts';
import { sampleTool } from './sample-tools.ts';
import { context, enable, exportedNames, never, openWorld, remoteTool, servers, strictTool } from './toolbox-world.ts';

const builtIn = ['Read', 'Bash'].map((name) => sampleTool(name));

describe('A session’s toolbox', () => {
  test('The search tool is there whatever the session includes or excludes, unless it is denied', () => {
    const names = (options: object): unknown => openWorld({ builtIn, ...options }).toolbox.catalog.names?.();
    assert.deepEqual(names({ include: ['Read'] }), ['Read', 'ToolSearch']);
    assert.deepEqual(names({ exclude: ['ToolSearch'] }), ['Bash', 'Read', 'ToolSearch']);
    assert.deepEqual(names({ isDenied: (tool: Tool) => tool.name === 'ToolSearch' }), ['Bash', 'Read']);
  });

  test('Tools that a server brings, changes or takes away are so at the next look', () => {
    const remote = servers();
    const { toolbox } = openWorld({ builtIn, remote, search: 'off' });
    const before = toolbox.hash(context);
    assert.equal(toolbox.catalog.find('mcp__x__a'), undefined);

    const tool = remoteTool('mcp__x__a', 'first');
    remote.set([tool]);
    assert.equal(toolbox.catalog.find('mcp__x__a'), tool);
    assert.equal(toolbox.count, 4);
    assert.deepEqual(exportedNames(toolbox.export('openai_chat', context)), ['Bash', 'Read', 'ToolSearch', 'mcp__x__a']);
    const withTool = toolbox.hash(context);

    remote.set([remoteTool('mcp__x__a', 'second')]);
    assert.equal(new Set([before, withTool, toolbox.hash(context)]).size, 3);

    remote.set([]);
    assert.equal(toolbox.catalog.find('mcp__x__a'), undefined);
    assert.equal(toolbox.hash(context), before);
  });

  test('Tools that the session’s rules deny by name are not there, wherever they come from', () => {
    const { toolbox } = openWorld({
      builtIn,
      custom: [sampleTool('weather')],
      remote: servers(remoteTool('mcp__x__a'), remoteTool('mcp__y__a')),
      isDenied: ({ name }) => ['Bash', 'weather'].includes(name) || name.startsWith('mcp__x__'),
    });
    assert.deepEqual(toolbox.catalog.names?.(), ['Read', 'ToolSearch', 'mcp__y__a']);
  });

  test('A tool of the session’s own wins over one of a server with its name, and who left one out is told', () => {
    const own = sampleTool('mcp__x__a');
    const leftOut: string[] = [];
    const { toolbox } = openWorld({ custom: [own], remote: servers(remoteTool('mcp__x__a')), onLeftOut: (name) => leftOut.push(name) });
    assert.equal(toolbox.catalog.find('mcp__x__a'), own);
    assert.deepEqual(leftOut, ['mcp__x__a']);
  });

  test('The hash tells which deferred tools are loaded', () => {
    const world = openWorld({ builtIn, remote: servers(remoteTool('mcp__x__a'), remoteTool('mcp__x__b')) });
    const none = world.toolbox.hash(context);
    assert.match(none, /^sha256:[0-9a-f]{64}$/);
    assert.equal(world.toolbox.hash(context), none);
    world.load('mcp__x__a');
    const one = world.toolbox.hash(context);
    world.load('mcp__x__b');
    assert.equal(new Set([none, one, world.toolbox.hash(context)]).size, 3);
    world.load('gone', 'Read');
    assert.notEqual(world.toolbox.hash({ workspace: '/elsewhere' }), world.toolbox.hash(context));
  });

  test('A name that is loaded but that no deferred tool has changes nothing', () => {
    const world = openWorld({ builtIn, remote: servers(remoteTool('mcp__x__a')) });
    const before = world.toolbox.hash(context);
    world.load('gone', 'Read');
    assert.equal(world.toolbox.hash(context), before);
  });

  test('Servers are waited for ten seconds at most', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const remote = servers();
    const waits: (string | undefined)[] = [];
    remote.onConnect = (signal, toolName) => {
      waits.push(toolName);
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
    };
    const { toolbox } = openWorld({ remote });
    let done = 0;
    const all = [toolbox.connect(never), toolbox.ready('mcp__x__a', never)].map((wait) => wait.then(() => (done += 1)));
    t.mock.timers.tick(9_999);
    await new Promise(setImmediate);
    assert.equal(done, 0);
    t.mock.timers.tick(1);
    await Promise.all(all);
    assert.deepEqual(waits, [undefined, 'mcp__x__a']);
  });

  test('Whoever waits for a server may stop waiting', async () => {
    const remote = servers();
    remote.onConnect = (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
    const stop = new AbortController();
    const waiting = openWorld({ remote }).toolbox.connect(stop.signal);
    stop.abort();
    await waiting;
  });

  test('Closing it lets go of the servers', async () => {
    const remote = servers();
    await openWorld({ remote }).toolbox.close();
    assert.equal(remote.closed, true);
  });

  test('A wrong call to a tool that the model has not seen is told how to see it, and only that', () => {
    const remote = servers(strictTool('mcp__x__weather'));
    const world = openWorld({ builtIn: [strictTool('Weather')], remote });
    const call = (name: string, input: object): ReturnType<typeof prepare> => prepare({ id: '1', name, input }, world.toolbox.catalog);
    const wrong = call('mcp__x__weather', { town: 'Ulm' });
    assert.equal(wrong.kind, 'refused');
    assert.ok('message' in wrong && wrong.schemaUnsent === true);
    assert.match(wrong.message, /ToolSearch with the query "select:mcp__x__weather"/);

    assert.equal(call('mcp__x__weather', { city: 'Ulm' }).kind, 'ready');
    assert.ok(!('schemaUnsent' in call('Weather', {})), 'it was never deferred');
    world.load('mcp__x__weather');
    assert.ok(!('schemaUnsent' in call('mcp__x__weather', {})), 'it is loaded');
  });

  test('Two built-in tools of one name stop the service before it has a session', () => {
    assert.throws(() => createToolboxes({ builtIn: [sampleTool('Read'), sampleTool('Read')], enable }), /Two tools are named Read/);
  });
});

describe('Sessions', () => {
  test('that choose the same built-in tools in whatever words share one pool', () => {
    const poolFor = sharedPools({ builtIn: [...builtIn, sampleTool('Agent', { aliases: ['Task'] })], enable });
    assert.equal(poolFor({}), poolFor({ include: null, exclude: [] }));
    assert.equal(poolFor({ include: ['Task', 'Read'] }), poolFor({ exclude: ['Bash'] }));
    assert.notEqual(poolFor({ exclude: ['Bash'] }), poolFor({ isDenied: ({ name }) => name === 'Bash' }));
    assert.notEqual(poolFor({}), poolFor({ exclude: ['Bash'] }));
    assert.notEqual(poolFor({ external: [sampleTool('a')] }), poolFor({ external: [sampleTool('a')] }));
  });
});
