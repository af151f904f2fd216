// The port through which the engine looks tools up and checks their input, without knowing where they come from.
import type { JsonSchema } from './json-schema.ts';
import type { Tool } from './tool.ts';

/** One thing that is wrong with an input, whichever validator found it. */
export interface InputIssue {
  readonly kind: 'missing' | 'unexpected' | 'type' | 'other';
  readonly path: readonly (string | number)[];
  readonly expected?: string;
  readonly received?: string;
  readonly message: string;
}

export type InputCheck = { readonly ok: true; readonly input: unknown } | { readonly ok: false; readonly issues: readonly InputIssue[] };

export interface ToolCatalog {
  /** By primary name, then by alias. */
  find(name: string): Tool | undefined;
  /** Primary names of all tools, where they can be told: for a model that asked for one that is not there. */
  names?(): readonly string[];
  /** Why a tool of this name is not there, where that is known: its server cannot be reached. */
  readonly whyMissing?: (name: string) => string | undefined;
  /** The schema that inputs are judged by; what models get may accept more. */
  schema(tool: Tool): JsonSchema;
  validate(tool: Tool, input: unknown): InputCheck;
  /** Of a deferred tool that was not loaded yet, whose input the model can only guess: what it is told when that was wrong. */
  readonly unsentHint?: (tool: Tool) => string | undefined;
}
