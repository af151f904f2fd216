// Look up, coerce, validate: what can be told of a call before anything runs. Gives a ready call or a finished one.
import { messageOf, EFFECTS, type Effect, type Tool, type ToolCatalog, type ToolUse } from '../../contract/index.ts';
import { coerce } from './coerce.ts';
import { describeIssues } from './describe-issues.ts';
import { unknownTool } from './prepare-unknown-tool.ts';

export interface ReadyCall {
  readonly kind: 'ready';
  readonly tool: Tool;
  /** Coerced and validated. */
  readonly input: unknown;
  readonly coerced: readonly string[];
  readonly concurrencySafe: boolean;
  readonly readOnly: boolean;
  readonly effect: Effect;
}

export interface RefusedCall {
  readonly kind: 'refused';
  readonly tool: Tool | undefined;
  readonly outcome: 'unknown_tool' | 'invalid_input';
  /** For the model; not yet sanitised. */
  readonly message: string;
  /** The model had never seen the tool's schema. */
  readonly schemaUnsent?: boolean;
  readonly concurrencySafe: false;
}

export type PreparedCall = ReadyCall | RefusedCall;

/** Never throws: a schema or predicate that does makes the call invalid or unsafe. */
export function prepare(use: ToolUse, catalog: ToolCatalog): PreparedCall {
  const tool = catalog.find(use.name);
  if (tool === undefined)
    return refused(
      undefined,
      'unknown_tool',
      [unknownTool(use.name, catalog.names?.()), catalog.whyMissing?.(use.name)].filter(Boolean).join(' '),
    );
  if (use.inputError !== undefined) return invalid(tool, `InputValidationError: ${use.inputError}`, catalog);
  try {
    return check(use, tool, catalog);
  } catch (error) {
    return invalid(tool, `InputValidationError: the input could not be checked: ${messageOf(error)}`, catalog);
  }
}

function check(use: ToolUse, tool: Tool, catalog: ToolCatalog): PreparedCall {
  const repaired = coerce(catalog.schema(tool), use.input);
  const checked = catalog.validate(tool, repaired.input);
  if (!checked.ok) return invalid(tool, describeIssues(checked.issues), catalog);
  return {
    kind: 'ready',
    tool,
    input: checked.input,
    coerced: repaired.coerced,
    concurrencySafe: holds(() => tool.isConcurrencySafe(checked.input)),
    readOnly: holds(() => tool.isReadOnly(checked.input)),
    effect: effectOf(tool, checked.input),
  };
}

/** A call that hooks or people gave another input: coerced, checked and looked at again. @returns what is wrong with it, for the model */
export function prepareChanged(call: ReadyCall, input: unknown, catalog: ToolCatalog): ReadyCall | string {
  const changed = prepare({ id: '', name: call.tool.name, input }, catalog);
  return changed.kind === 'refused' ? changed.message : { ...changed, coerced: [...new Set([...call.coerced, ...changed.coerced])] };
}

/** A tool that cannot say what a call does to the world counts as one that must never run twice. */
function effectOf(tool: Tool, input: unknown): Effect {
  try {
    const effect: unknown = tool.effect(input);
    return EFFECTS.find((known) => known === effect) ?? 'once';
  } catch {
    return 'once';
  }
}

/** A predicate counts only when it gives exactly `true`: a Promise is truthy, and a throw is a "no". */
function holds(predicate: () => unknown): boolean {
  try {
    return predicate() === true;
  } catch {
    // A predicate that cannot answer is a "no": the call then runs alone and is journalled.
    return false;
  }
}

/** An input that is wrong. A model that guessed it is told how to see the schema first. */
function invalid(tool: Tool, message: string, catalog: ToolCatalog): RefusedCall {
  const hint = catalog.unsentHint?.(tool);
  if (hint === undefined) return refused(tool, 'invalid_input', message);
  return { ...refused(tool, 'invalid_input', `${message}\n${hint}`), schemaUnsent: true };
}

function refused(tool: Tool | undefined, outcome: RefusedCall['outcome'], message: string): RefusedCall {
  return { kind: 'refused', tool, outcome, message, concurrencySafe: false };
}
