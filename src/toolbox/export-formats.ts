// Tool definitions in the shapes that models' APIs take. The order of the tools is kept: it decides what a prompt cache can reuse.
import { createHash } from 'node:crypto';
import type { DescribeContext, JsonSchema, Tool } from '../contract/index.ts';
import { inputJsonSchema } from './input-schema.ts';

export const EXPORT_FORMATS = ['anthropic', 'openai_chat', 'openai_responses', 'mcp'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export type ExportedTool =
  | { name: string; description: string; input_schema: JsonSchema }
  | { type: 'function'; function: { name: string; description: string; parameters: JsonSchema } }
  | { type: 'function'; name: string; description: string; parameters: JsonSchema; strict: false }
  | { name: string; description: string; inputSchema: JsonSchema; annotations?: { title: string } };

export function exportTools(tools: readonly Tool[], format: ExportFormat, context: DescribeContext): ExportedTool[] {
  return tools.map((tool) =>
    SHAPES[format]({
      name: tool.name,
      description: tool.description(context),
      schema: inputJsonSchema(tool),
      title: tool.userFacingName(undefined),
    }),
  );
}

/** `sha256:` and the digest of the definitions in Anthropic's shape, in which every other one has its origin. */
export function hashTools(tools: readonly Tool[], context: DescribeContext): string {
  const canonical = JSON.stringify(exportTools(tools, 'anthropic', context));
  return `sha256:${createHash('sha256').update(canonical).digest('hex')}`;
}

interface Definition {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonSchema;
  /** How people call the tool. */
  readonly title: string;
}

const SHAPES: Record<ExportFormat, (definition: Definition) => ExportedTool> = {
  anthropic: ({ name, description, schema }) => ({ name, description, input_schema: schema }),
  openai_chat: ({ name, description, schema }) => ({ type: 'function', function: { name, description, parameters: schema } }),
  openai_responses: ({ name, description, schema }) => ({ type: 'function', name, description, parameters: schema, strict: false }),
  mcp: ({ name, description, schema, title }) => ({
    name,
    description,
    inputSchema: schema,
    ...(title !== name && { annotations: { title } }),
  }),
};
