// The tools that the public conformance suite of MCP calls by name, as tools of the service.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { buildTool, type ContentBlock, type JsonSchema, type ResultContent, type Tool } from '../../../src/contract/index.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const image: ContentBlock = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } };
const document: ContentBlock = {
  type: 'document',
  source: { type: 'base64', media_type: 'application/pdf', data: Buffer.from('%PDF-1.4').toString('base64') },
};

const open = {
  isConcurrencySafe: () => true,
  isReadOnly: () => true,
  permissionSubjects: () => [],
  description: () => 'A tool of the conformance suite.',
};

function answering(name: string, content: ResultContent): Tool {
  return buildTool({ ...open, name, inputSchema: z.looseObject({}), call: () => ({ content }) }) as Tool;
}

/** Has people fill in a form. */
function asking(name: string, properties: Record<string, JsonSchema>): Tool {
  const requested_schema = { type: 'object', properties };
  return buildTool({
    ...open,
    name,
    inputSchema: z.looseObject({}),
    async call(_input, { people }) {
      const { behavior, updatedInput } = await people.approve({ reason: 'Please fill this in.', input: { requested_schema } });
      return { content: `${behavior}: ${JSON.stringify(updatedInput)}` };
    },
  }) as Tool;
}

const titled = (...titles: string[]) => titles.map((title, index) => ({ const: `value${index + 1}`, title }));

const SCHEMA_2020: JsonSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
  properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
  additionalProperties: false,
};

export const fixtureTools: readonly Tool[] = [
  answering('test_simple_text', 'This is a simple text response for testing.'),
  answering('test_image_content', [image]),
  answering('test_embedded_resource', [document]),
  answering('test_multiple_content_types', [{ type: 'text', text: 'Multiple content types test:' }, image, document]),
  buildTool({
    ...open,
    name: 'test_error_handling',
    inputSchema: z.looseObject({}),
    call: () => {
      throw new Error('This tool intentionally returns an error for testing');
    },
  }) as Tool,
  buildTool({
    ...open,
    name: 'test_tool_with_progress',
    inputSchema: z.looseObject({}),
    async *call() {
      for (const progress of [0, 50, 100]) {
        yield { type: 'progress' as const, data: { progress, total: 100 } };
        await sleep(5);
      }
      return { content: 'done' };
    },
  }) as Tool,
  buildTool({
    ...open,
    name: 'test_elicitation',
    inputSchema: z.looseObject({ message: z.string() }),
    checkPermissions: ({ message }) => ({ behavior: 'ask', reason: message }),
    call: () => ({ content: 'User response: accept' }),
  }) as Tool,
  asking('test_elicitation_sep1034_defaults', {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  }),
  asking('test_elicitation_sep1330_enums', {
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: { type: 'string', oneOf: titled('First Option', 'Second Option', 'Third Option') },
    legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option One', 'Option Two', 'Option Three'] },
    untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
    titledMulti: { type: 'array', items: { anyOf: titled('First Choice', 'Second Choice', 'Third Choice') } },
  }),
  buildTool({ ...open, name: 'json_schema_2020_12_tool', inputSchema: SCHEMA_2020, call: () => ({ content: 'fine' }) }) as Tool,
];
