// The tools that a session brings along, made of their definitions.
import { resolve } from 'node:path';
import {
  buildTool,
  Problem,
  ToolDefinitionError,
  type Fetch,
  type JsonSchema,
  type Footprint,
  type PermissionContext,
  type PermissionSubject,
  type ProblemIssue,
  type Tool,
  type ToolHints,
} from '../contract/index.ts';
import { clientExecution } from './client-tool.ts';
import type { CustomTool } from './definition.ts';
import { httpExecution } from './http-tool.ts';

export interface CustomToolPorts {
  /** The guarded way out: the URL is judged there, with each redirect. */
  readonly fetch: Fetch;
  /** @throws ToolDefinitionError when the tool's schema cannot be compiled or exported */
  readonly checkSchema: (tool: Tool) => void;
}

/** Characters of a description that a search may use. */
const HINT_CHARS = 120;

/**
 * The tools of a session, in the order of their definitions.
 * @throws Problem `invalid-request` that names every schema that cannot be used
 */
export function createCustomTools(definitions: readonly CustomTool[], { fetch, checkSchema }: CustomToolPorts): readonly Tool[] {
  const tools = definitions.map((definition) => createCustomTool(definition, fetch));
  const issues = tools.flatMap((tool, index): ProblemIssue[] => {
    const fault = schemaFault(tool, checkSchema);
    return fault === null ? [] : [{ path: `tools.custom[${index}].input_schema`, message: fault }];
  });
  if (issues.length > 0) throw new Problem('invalid-request', 'Some custom tools cannot be used; see errors.', { issues });
  return tools;
}

function schemaFault(tool: Tool, checkSchema: CustomToolPorts['checkSchema']): string | null {
  try {
    checkSchema(tool);
    return null;
  } catch (error) {
    if (error instanceof ToolDefinitionError) return error.message;
    throw error;
  }
}

/** The tool that a definition stands for. Its schema is not looked at. */
function createCustomTool(definition: CustomTool, fetch: Fetch): Tool {
  const { name, description, input_schema, annotations, defer, http } = definition;
  const { read_only = false, destructive = false, concurrency_safe = read_only, idempotent = false } = annotations;
  return buildTool<JsonSchema>({
    name,
    searchHint: hintOf(description),
    inputSchema: input_schema,
    description: () => description,
    hints: hintsOf(annotations),
    isReadOnly: () => read_only,
    isDestructive: () => destructive,
    isConcurrencySafe: () => concurrency_safe,
    ...(annotations.footprint && {
      footprint: (_input: unknown, { workspace }: PermissionContext) => touchedFiles(annotations, workspace),
    }),
    effect: () => (read_only ? 'read' : idempotent ? 'idempotent' : 'once'),
    permissionSubjects: (_input, { workspace }) => subjectsOf(annotations, workspace),
    toAutoClassifierInput: (input) => `${name} ${JSON.stringify(input)}`,
    shouldDefer: defer === true,
    alwaysLoad: defer === false,
    ...(http === undefined ? clientExecution : httpExecution({ name, http, fetch })),
  });
}

function hintsOf({ read_only, destructive, idempotent }: CustomTool['annotations']): ToolHints {
  return {
    ...(read_only === true && { readOnly: true }),
    ...(destructive !== undefined && { destructive }),
    ...(idempotent === true && { idempotent: true }),
  };
}

/** One name for whatever else than files tools of this kind change. */
const OUTSIDE = 'what custom tools change';

/** Its files, and what is outside: calls that may change that keep their order among all such calls, but wait for no edit of another file. */
function touchedFiles({ read_only, concurrency_safe = read_only, footprint }: CustomTool['annotations'], workspace: string): Footprint {
  const absolute = (paths: readonly string[] = []): string[] => paths.map((path) => resolve(workspace, path));
  const [reads, writes] = [absolute(footprint?.reads), absolute(footprint?.writes)];
  return concurrency_safe === true ? { reads: [...reads, OUTSIDE], writes } : { reads, writes: [...writes, OUTSIDE] };
}

/**
 * What a call touches: the files of its footprint and, unless it only reads, something that rules know by the tool's name
 * alone. Its URL is none of it: whoever defined the tool chose that, not the model.
 */
function subjectsOf({ read_only, footprint }: CustomTool['annotations'], workspace: string): PermissionSubject[] {
  const { reads = [], writes = [] } = footprint ?? {};
  const files = (paths: readonly string[], access: 'read' | 'write'): PermissionSubject[] =>
    paths.map((path) => ({ kind: 'path', access, path: resolve(workspace, path) }));
  return [...(read_only === true ? [] : [{ kind: 'other' } as const]), ...files(reads, 'read'), ...files(writes, 'write')];
}

function hintOf(description: string): string {
  const [line = ''] = description.trim().split('\n', 1);
  return line.slice(0, HINT_CHARS).toWellFormed();
}
