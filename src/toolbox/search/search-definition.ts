import { ToolDefinitionError, type DescribeContext, type JsonSchema, type Tool } from '../../contract/index.ts';
import { exportTools } from '../schemas/export-formats.ts';

export interface Definition {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonSchema;
}

/** What a model reads of a tool. @throws ToolDefinitionError when the tool has no schema that a model takes */
export function definitionOf(tool: Tool, context: DescribeContext): Definition {
  const [definition] = exportTools([tool], { format: 'anthropic', context });
  if (definition !== undefined && 'input_schema' in definition) return definition;
  throw new ToolDefinitionError(`The tool ${tool.name} cannot be shown to a model.`);
}
