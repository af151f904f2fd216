import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ToolDefinitionError } from '../../src/contract/index.ts';
import { createCatalog } from '../../src/toolbox/catalog.ts';
import { sampleTool } from './sample-tools.ts';

describe('The catalog of tools', () => {
  test('A tool is found by its name and by its former names', () => {
    const catalog = createCatalog([sampleTool('Agent', { aliases: ['Task', 'Helper'] })]);
    for (const name of ['Agent', 'Task', 'Helper']) assert.equal(catalog.find(name)?.name, 'Agent');
  });

  test('A primary name beats an alias, whichever tool comes first', () => {
    const tools = [sampleTool('Old', { aliases: ['New'] }), sampleTool('New')];
    for (const order of [tools, tools.toReversed()]) assert.equal(createCatalog(order).find('New')?.name, 'New');
  });

  test('Names of built-in properties, the empty name and names with spaces are unknown tools', () => {
    const catalog = createCatalog([sampleTool('Read')]);
    const dangerous = ['constructor', '__proto__', 'toString', 'hasOwnProperty', '', ' ', 'Read ', ' Read', 'read', 'Re\0ad'];
    for (const name of dangerous) assert.equal(catalog.find(name), undefined, JSON.stringify(name));
  });

  test('A tool may be named like a built-in property', () => {
    assert.equal(createCatalog([sampleTool('constructor')]).find('constructor')?.name, 'constructor');
  });

  test('A second tool of the same name is refused with an error that names it', () => {
    assert.throws(
      () => createCatalog([sampleTool('Read'), sampleTool('Read')]),
      (error) => {
        assert.ok(error instanceof ToolDefinitionError);
        assert.match(error.message, /named Read/);
        return true;
      },
    );
  });

  test('Two tools cannot share an alias', () => {
    const tools = [sampleTool('A', { aliases: ['Same'] }), sampleTool('B', { aliases: ['Same'] })];
    assert.throws(() => createCatalog(tools), /A and B share the alias Same/);
  });
});
