import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { type Tool, type ToolHints, TOOL_FORMATS, type ToolFormat } from '../../src/contract/index.ts';
import { buildTool } from '../../src/contract/index.ts';
import { exportTools } from '../../src/toolbox/schemas/export-formats.ts';
import { loadTools } from '../../src/toolbox/load/load-tools.ts';
import { sampleTool } from './sample-tools.ts';

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
  for (const format of TOOL_FORMATS) {
    test(`have the shape that ${format} takes`, () => {
      assert.deepEqual(exportTools([tool], { format, context }), [shapes[format]]);
    });
  }

  test('carry the name for people as a title where the format has a place for it', () => {
    const titled = buildTool({ ...tool, userFacingName: () => 'Have a look' });
    assert.deepEqual(exportTools([titled], { format: 'mcp', context }), [{ ...shapes.mcp, annotations: { title: 'Have a look' } }]);
  });

  test('say for MCP what holds for all calls', async () => {
    const annotated = (hints: ToolHints): unknown => exported(sampleTool('Look', { hints }), 'mcp')['annotations'];
    assert.deepEqual(annotated({ readOnly: true, idempotent: true }), { readOnlyHint: true, idempotentHint: true });
    assert.deepEqual(annotated({ destructive: false }), { destructiveHint: false });
    assert.equal(annotated({}), undefined);
    const shipped = await loadTools(new URL('../../tools/', import.meta.url), {
      include: ['Read', 'Glob', 'Grep', 'ToolSearch', 'Write', 'Edit'],
    });
    assert.deepEqual(Object.fromEntries(shipped.map((each) => [each.name, exported(each, 'mcp')['annotations']])), {
      Edit: { destructiveHint: true },
      Glob: { readOnlyHint: true },
      Grep: { readOnlyHint: true },
      Read: { readOnlyHint: true },
      ToolSearch: { readOnlyHint: true },
      Write: { destructiveHint: true },
    });
  });

  test('are the same bytes each time', async () => {
    const tools = await loadTools(new URL('../../tools/', import.meta.url));
    for (const format of TOOL_FORMATS) {
      const [first, second] = [1, 2].map(() => JSON.stringify(exportTools(tools, { format, context })));
      assert.equal(first, second);
      assert.equal(JSON.parse(first ?? '').length, tools.length);
    }
  });
});

/** The one definition of a tool. */
function exported(one: Tool, format: ToolFormat): Record<string, unknown> {
  const [definition] = exportTools([one], { format, context });
  assert.ok(definition);
  return 'function' in definition ? definition.function : definition;
}

describe('A description', () => {
  const long = `${'A word or two. '.repeat(60)}\n\n${'More of it. '.repeat(60)}`.trim();

  test('that is too long for OpenAI goes on in that of the parameters, so that nothing is lost', () => {
    for (const format of ['openai_chat', 'openai_responses'] as const) {
      const definition = exported(sampleTool('Long', { description: () => long }), format);
      const head = String(definition['description']);
      const rest = String((definition['parameters'] as { description?: unknown }).description);
      assert.ok(head.length <= 1_024 && head.length > 600);
      assert.match(head, /\(continued in the description of the parameters\)$/);
      const kept = `${head.replace(/ … \(continued.*$/, '')} ${rest}`;
      assert.equal(kept.replaceAll(/\s+/g, ' '), long.replaceAll(/\s+/g, ' '));
    }
  });

  test('is whole in the other formats', () => {
    for (const format of ['anthropic', 'mcp'] as const) {
      assert.equal(exported(sampleTool('Long', { description: () => long }), format)['description'], long);
    }
  });

  test('without a blank is cut between characters', () => {
    const definition = exported(sampleTool('Long', { description: () => '😀'.repeat(2_000) }), 'openai_chat');
    assert.ok(String(definition['description']).isWellFormed() && String(definition['description']).length <= 1_024);
  });

  test('that a tool cannot give costs only itself', () => {
    const broken = sampleTool('Broken', {
      description: () => {
        throw new Error('no luck');
      },
    });
    for (const format of TOOL_FORMATS) assert.equal(exportTools([broken, tool], { format, context }).length, 2);
  });
});

describe('Tools that the model learns of later', () => {
  const tools = ['A', 'B', 'C', 'D'].map((name) => sampleTool(name));
  const deferred = ({ name }: Tool): boolean => name === 'B' || name === 'C';
  const loaded = ({ name }: Tool): boolean => name === 'C';

  test('stay in their place for Anthropic and are marked, also once they are loaded', () => {
    const options = { format: 'anthropic', context, deferred } as const;
    const before = JSON.stringify(exportTools(tools, options));
    const marks = exportTools(tools, options).map((definition) => 'defer_loading' in definition);
    assert.deepEqual(marks, [false, true, true, false]);
    assert.equal(JSON.stringify(exportTools(tools, { ...options, loaded })), before);
  });

  test('are left out for the others until they are loaded, and then stand where they belong', () => {
    for (const format of ['openai_chat', 'openai_responses', 'mcp'] as const) {
      const namesIn = (options: object): string =>
        exportTools(tools, { format, context, ...options })
          .map((definition) => ('function' in definition ? definition.function.name : definition.name))
          .join('');
      assert.equal(namesIn({ deferred }), 'AD');
      assert.equal(namesIn({ deferred, loaded }), 'ACD');
      assert.ok(!JSON.stringify(exportTools(tools, { format, context, deferred, loaded })).includes('defer_loading'));
    }
  });
});

describe('A definition', () => {
  test('is made once and shared by all lists, until the tool describes itself in another way', () => {
    const [first, second] = [1, 2].map(() => exportTools([tool], { format: 'anthropic', context })[0]);
    assert.equal(first, second);
    const [elsewhere] = exportTools([tool], { format: 'anthropic', context: { workspace: '/elsewhere' } });
    assert.match(JSON.stringify(elsewhere), /Looks at things in \/elsewhere/);
  });

  test('says for MCP what the tool gives, where that is an object', () => {
    const output = z.object({ lines: z.int() });
    const definition = exported(sampleTool('Count', { outputSchema: output }), 'mcp');
    assert.deepEqual((definition['outputSchema'] as { required?: unknown }).required, ['lines']);
    assert.ok(!('outputSchema' in exported(sampleTool('Count', { outputSchema: z.string() }), 'mcp')));
    assert.ok(!('outputSchema' in exported(sampleTool('Count', { outputSchema: output }), 'anthropic')));
  });
});
