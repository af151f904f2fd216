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
  return tools.map((tool) => exportTool(tool, format, context));
}

/** `sha256:` and the digest of the definitions in Anthropic's shape, in which every other one has its origin. */
export function hashTools(tools: readonly Tool[], context: DescribeContext): string {
  const canonical = JSON.stringify(exportTools(tools, 'anthropic', context));
  return `sha256:${createHash('sha256').update(canonical).digest('hex')}`;
}

function exportTool(tool: Tool, format: ExportFormat, context: DescribeContext): ExportedTool {
  const { name } = tool;
  const description = tool.description(context);
  const schema = inputJsonSchema(tool);
  switch (format) {
    case 'anthropic':
      return { name, description, input_schema: schema };
    case 'openai_chat':
      return { type: 'function', function: { name, description, parameters: schema } };
    case 'openai_responses':
      return { type: 'function', name, description, parameters: schema, strict: false };
    case 'mcp': {
      const title = tool.userFacingName(undefined);
      return { name, description, inputSchema: schema, ...(title !== name && { annotations: { title } }) };
    }
  }
}
