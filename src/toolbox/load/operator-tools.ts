// An operator's own tools: folders like those of the project, outside of it. A broken one costs only itself.
import type { Tool } from '../../contract/index.ts';
import { buildTool, settlesWithin } from '../../contract/index.ts';
import { schemaFault } from '../input/check-schema.ts';
import { inputValidator } from '../input/input-validator.ts';
import { assertNamed, isChosen, type ToolChoice, wantedFolders } from './load-tools.ts';
import { importTool, reasonOf, requiresOf, toolFolders, type ToolFolder } from './tool-folder.ts';
import { fieldFault } from './tool-fields.ts';

/** Milliseconds that a module may take to load. */
const LOAD_MS = 30_000;

export interface RefusedTool {
  readonly folder: string;
  /** One sentence that says what to change. */
  readonly reason: string;
}

export interface OperatorTools {
  /** In code point order of their folders' names. */
  readonly tools: readonly Tool[];
  readonly refused: readonly RefusedTool[];
}

export interface OperatorChoice extends ToolChoice {
  /** Tools of the service itself, which keep their names and aliases. */
  readonly shipped: readonly Tool[];
  /** Milliseconds that a module may take to load: half a minute when absent. */
  readonly loadMs?: number;
  /** Told of each folder before its module runs. One that never gives way is the last one told. */
  readonly onLoad?: (folder: string) => void;
}

/**
 * Loads every folder of an operator's directory whose tool is wanted, one after the other. An index exports a definition as `buildTool` takes it,
 * whose description may be a plain text, or what `buildTool` gave.
 * @throws Error when the directory cannot be read
 */
export async function loadOperatorTools(directory: string, choice: OperatorChoice): Promise<OperatorTools> {
  const folders = await toolFolders(directory);
  const tools: Tool[] = [];
  const refused: RefusedTool[] = [];
  for (const wanted of folders.filter(wantedFolders(folders, choice))) {
    const { folder, tool, reason } = await tryLoading(wanted, choice);
    if (tool !== undefined && !isChosen(tool, choice)) continue;
    const why = reason ?? (tool && clash(tool, [...choice.shipped, ...tools]));
    if (why !== undefined) refused.push({ folder, reason: why });
    else if (tool !== undefined) tools.push(tool);
  }
  return { tools, refused };
}

interface Try {
  readonly folder: string;
  readonly tool?: Tool;
  readonly reason?: string;
}

async function tryLoading(folder: ToolFolder, { features = new Set(), loadMs = LOAD_MS, onLoad }: OperatorChoice): Promise<Try> {
  try {
    const missing = (await requiresOf(folder)).filter((feature) => !features.has(feature));
    if (missing.length > 0) return { folder: folder.name, reason: `It requires ${missing.join(', ')}, which this service does not have.` };
    onLoad?.(folder.name);
    const loading = importTool(folder);
    if (!(await settlesWithin(loading, loadMs))) throw new Error(`It took more than ${loadMs / 1000} s to load: let its module end.`);
    return { folder: folder.name, tool: usableTool(folder, await loading) };
  } catch (error) {
    return { folder: folder.name, reason: reasonOf(error) };
  }
}

/** @throws Error saying what is wrong with what the folder exports */
function usableTool(folder: ToolFolder, exported: unknown): Tool {
  const fault = fieldFault(exported);
  if (fault !== undefined) throw new Error(`Its default export is no tool: ${fault}.`);
  // Its fields were just looked at.
  const definition = exported as Omit<Tool, 'description'> & { readonly description: string | Tool['description'] };
  const { description } = definition;
  const tool = buildTool<Tool['inputSchema']>({
    ...definition,
    description: typeof description === 'string' ? () => description : description,
  });
  assertNamed(folder.name, tool);
  const schema = schemaFault(tool);
  if (schema !== undefined) throw new Error(schema);
  inputValidator(tool);
  return tool;
}

/** Why the tool cannot stand beside the others: rules that name one of them must not come to mean another. */
function clash(tool: Tool, others: readonly Tool[]): string | undefined {
  for (const { name, aliases } of others) {
    const taken = [tool.name, ...tool.aliases].find((word) => word === name || aliases.includes(word));
    if (taken !== undefined) return `The name ${taken} already belongs to the tool ${name}: choose another one.`;
  }
  return undefined;
}
