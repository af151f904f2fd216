// What a tool must give: text, or a list of blocks that a model can be shown. Everything else costs the call, and no other.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { buildTool, type Tool, type ToolResult } from '../../src/contract/index.ts';
import { outcomes, engineOptions, results, resultText, runAll, use } from '../support/run-engine.ts';

function giving(result: unknown): Tool {
  return buildTool({
    name: 'Gives',
    description: () => 'Gives what the test says.',
    inputSchema: z.strictObject({}),
    call: () => result as ToolResult,
  }) as Tool;
}

const source = { type: 'base64', media_type: 'image/png', data: '' };

describe('what a tool gives', () => {
  test('is a result when it is text or blocks', async () => {
    for (const content of [
      'text',
      [],
      [{ type: 'text', text: 'a' }],
      [{ type: 'text', text: '' }],
      [{ type: 'tool_reference', tool_name: 'Read' }],
      [
        { type: 'text', text: 'a' },
        { type: 'image', source },
      ],
      [{ type: 'document', source: { ...source, media_type: 'application/pdf' } }],
    ])
      assert.deepEqual(
        outcomes(await runAll([use('a', 'Gives')], engineOptions([giving({ content })]))),
        ['a ok'],
        JSON.stringify(content),
      );
  });

  test('is an error of the tool when it is anything else, and says what a tool must give', async () => {
    const blocks: unknown[] = [
      null,
      undefined,
      'text',
      5,
      {},
      { text: 'a' },
      { type: 'text' },
      { type: 'text', text: 5 },
      { type: 'text', source },
      { type: 5, text: 'a' },
      { type: 'video', source },
      { type: 'image' },
      { type: 'image', source: null },
      { type: 'image', source: 'x' },
      { type: 'document', text: 'a' },
      { type: 'tool_reference' },
      { type: 'tool_reference', tool_name: 5 },
      { type: 'tool_reference', source },
    ];
    const wrong = [undefined, null, 'text', 5, [], {}, { content: undefined }, { content: null }, { content: 5 }, { content: {} }];
    for (const result of [...wrong, ...blocks.map((block) => ({ content: [{ type: 'text', text: 'a' }, block] }))]) {
      const events = await runAll([use('a', 'Gives')], engineOptions([giving(result)]));
      assert.deepEqual(outcomes(events), ['a tool_error'], JSON.stringify(result));
      assert.match(
        resultText(results(events)[0]),
        /The tool Gives gave no result: it must return an object whose content is text or a list/,
      );
    }
  });
});

test('a name of any length that no tool has is shown by its beginning', async () => {
  const events = await runAll([use('a', 'x'.repeat(5_000))], engineOptions([giving({ content: '' })]));
  assert.ok(resultText(results(events)[0]).length < 400);
  assert.match(resultText(results(events)[0]), /No tool named "x{200}" is available/);
});
