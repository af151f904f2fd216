import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import type { Tool } from '../../src/contract/index.ts';
import { buildTool } from '../../src/contract/index.ts';
import { EXPORT_FORMATS, exportTools } from '../../src/toolbox/export-formats.ts';
import { loadTools } from '../../src/toolbox/load-tools.ts';

const context = { workspace: '/workspace' };
const tool = buildTool({
  name: 'Look',
  inputSchema: z.strictObject({ at: z.string().describe('What to look at.') }),
  description: ({ workspace }) => `Looks at things in ${workspace}.`,
  call: () => ({ content: '' }),
}) as Tool;
const schema = {
  type: 'object',
  properties: { at: { type: 'string', description: 'What to look at.' } },
  required: ['at'],
  additionalProperties: false,
};
const description = 'Looks at things in /workspace.';

describe('Tool definitions', () => {
  const shapes = {
    anthropic: { name: 'Look', description, input_schema: schema },
    openai_chat: { type: 'function', function: { name: 'Look', description, parameters: schema } },
    openai_responses: { type: 'function', name: 'Look', description, parameters: schema, strict: false },
    mcp: { name: 'Look', description, inputSchema: schema },
  };
  for (const format of EXPORT_FORMATS) {
    test(`have the shape that ${format} takes`, () => {
      assert.deepEqual(exportTools([tool], format, context), [shapes[format]]);
    });
  }

  test('carry the name for people as a title where the format has a place for it', () => {
    const titled = buildTool({ ...tool, userFacingName: () => 'Have a look' });
    assert.deepEqual(exportTools([titled], 'mcp', context), [{ ...shapes.mcp, annotations: { title: 'Have a look' } }]);
  });

  test('are the same bytes each time', async () => {
    const tools = await loadTools(new URL('../../tools/', import.meta.url));
    for (const format of EXPORT_FORMATS) {
      const [first, second] = [1, 2].map(() => JSON.stringify(exportTools(tools, format, context)));
      assert.equal(first, second);
      assert.equal(JSON.parse(first ?? '').length, tools.length);
    }
  });
});
