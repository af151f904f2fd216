// Tool definitions in the shapes that models' APIs take. The order of the tools is kept: it decides what a prompt cache can
// reuse. Each definition is made once for a tool, a format and a description, and is then the same frozen object in every list.
import { createHash } from 'node:crypto';
import type { DescribeContext, JsonSchema, Tool, ToolFormat } from '../../contract/index.ts';
import { cutDescription } from './cut-description.ts';
import { anthropicSchema, exportSchema, outputJsonSchema } from './export-schema.ts';

export interface McpAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: true;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: true;
}

export type ExportedTool =
  | { readonly name: string; readonly description: string; readonly input_schema: JsonSchema; readonly defer_loading?: true }
  | {
      readonly type: 'function';
      readonly function: { readonly name: string; readonly description: string; readonly parameters: JsonSchema };
    }
  | {
      readonly type: 'function';
      readonly name: string;
      readonly description: string;
      readonly parameters: JsonSchema;
      readonly strict: false;
    }
  | {
      readonly name: string;
      readonly description: string;
      readonly inputSchema: JsonSchema;
      readonly outputSchema?: JsonSchema;
      readonly annotations?: McpAnnotations;
    };

/** Which tools the model learns of later. */
export interface Deferral {
  /** True for a tool whose schema is not in the model's first prompt. */
  readonly deferred?: (tool: Tool) => boolean;
  /** True for a deferred tool whose schema the model has seen since. */
  readonly loaded?: (tool: Tool) => boolean;
}

export interface ExportOptions extends Deferral {
  readonly format: ToolFormat;
  readonly context: DescribeContext;
}

/**
 * In `anthropic` a deferred tool is marked, and stays so once it is loaded: the bytes in front of the conversation do not
 * change. In the other formats it is left out until it is loaded.
 */
export function exportTools(tools: readonly Tool[], { format, context, deferred, loaded }: ExportOptions): ExportedTool[] {
  const marks = format === 'anthropic';
  return tools.flatMap((tool) => {
    const later = deferred?.(tool) === true;
    if (later && !marks && loaded?.(tool) !== true) return [];
    return [definitionOf(tool, { format, context, later: later && marks }).exported];
  });
}

/**
 * `sha256:` and the digest of the definitions in Anthropic's shape, in which every other one has its origin, and of the
 * names of the deferred tools that are loaded.
 */
export function hashTools(tools: readonly Tool[], context: DescribeContext, { deferred, loaded }: Deferral = {}): string {
  const hash = createHash('sha256');
  for (const tool of tools) {
    const later = deferred?.(tool) === true;
    hash.update(digestOf(definitionOf(tool, { format: 'anthropic', context, later })));
    if (later && loaded?.(tool) === true) hash.update('loaded');
  }
  return `sha256:${hash.digest('hex')}`;
}

interface Definition {
  readonly described: string;
  readonly exported: ExportedTool;
  digest?: Buffer;
}

interface Wanted {
  readonly format: ToolFormat;
  readonly context: DescribeContext;
  /** Marked as deferred. */
  readonly later: boolean;
}

const known = new WeakMap<Tool, Map<string, Definition>>();

function definitionOf(tool: Tool, { format, context, later }: Wanted): Definition {
  const described = said(() => tool.description(context));
  const ofTool = known.get(tool) ?? new Map<string, Definition>();
  known.set(tool, ofTool);
  const key = later ? `${format}, later` : format;
  const last = ofTool.get(key);
  if (last?.described === described) return last;
  const shape = SHAPES[format](tool, described);
  const definition = { described, exported: Object.freeze(later ? { ...shape, defer_loading: true as const } : shape) };
  ofTool.set(key, definition);
  return definition;
}

function digestOf(definition: Definition): Buffer {
  definition.digest ??= createHash('sha256').update(JSON.stringify(definition.exported)).digest();
  return definition.digest;
}

/** What a tool says of itself; one that cannot says nothing, and the others are still told. */
function said(say: () => unknown): string {
  try {
    const text = say();
    return typeof text === 'string' ? text : '';
  } catch {
    return '';
  }
}

/** Characters of a function's description that OpenAI's API takes. */
const OPENAI_DESCRIPTION_CHARS = 1_024;

const SHAPES: Record<ToolFormat, (tool: Tool, described: string) => ExportedTool> = {
  anthropic(tool, described) {
    const { schema, notes } = anthropicSchema(tool);
    return { name: tool.name, description: [described, ...notes].join('\n\n'), input_schema: schema };
  },
  openai_chat: (tool, described) => ({ type: 'function', function: openaiFunction(tool, described) }),
  openai_responses: (tool, described) => ({ type: 'function', ...openaiFunction(tool, described), strict: false }),
  mcp(tool, described) {
    const { schema, notes } = exportSchema(tool);
    const annotations = mcpAnnotations(tool);
    const outputSchema = outputJsonSchema(tool);
    return {
      name: tool.name,
      description: [described, ...notes].join('\n\n'),
      inputSchema: schema,
      ...(outputSchema && { outputSchema }),
      ...(Object.keys(annotations).length > 0 && { annotations }),
    };
  },
};

function mcpAnnotations(tool: Tool): McpAnnotations {
  const title = said(() => tool.userFacingName(undefined));
  const { readOnly, destructive, idempotent } = tool.hints ?? {};
  return {
    ...(title !== '' && title !== tool.name && { title }),
    ...(readOnly && { readOnlyHint: readOnly }),
    ...(destructive !== undefined && { destructiveHint: destructive }),
    ...(idempotent && { idempotentHint: idempotent }),
  };
}

/** What does not fit into the description goes to that of the parameters, which has no limit. */
function openaiFunction(tool: Tool, described: string): { name: string; description: string; parameters: JsonSchema } {
  const { schema, notes } = exportSchema(tool);
  const { head, rest } = cutDescription([described, ...notes].join('\n\n'), OPENAI_DESCRIPTION_CHARS);
  const texts = [rest, schema['description']].filter((text) => typeof text === 'string' && text !== '');
  return { name: tool.name, description: head, parameters: rest === undefined ? schema : { ...schema, description: texts.join('\n\n') } };
}
