import type { ToolUse } from '../contract/index.ts';
import { exceedsDepth } from './json-depth.ts';
import { MAX_ARGUMENT_DEPTH, parseArguments, TOO_DEEP } from './parse-arguments.ts';

/** The part of a call that its arguments decide. */
export type CallInput = Pick<ToolUse, 'input' | 'inputError'>;

/** Input from argument text; text that is no JSON object stays as it is, beside the error. */
export function inputFromText(text: string): CallInput {
  const parsed = parseArguments(text);
  return 'error' in parsed ? { input: text, inputError: parsed.error } : parsed;
}

/** Input that came as a value; a missing one is `{}`. One that is nested too deep is dropped, as nobody could safely walk it. */
export function inputFromValue(value: unknown): CallInput {
  if (value === undefined) return { input: {} };
  return exceedsDepth(value, MAX_ARGUMENT_DEPTH) ? { input: {}, inputError: TOO_DEEP } : { input: value };
}

/** Input of an OpenAI call, whose arguments are text; some providers leave them out or send them parsed. */
export function inputFromArguments(value: unknown): CallInput {
  return typeof value === 'string' ? inputFromText(value) : inputFromValue(value ?? undefined);
}

/** Input of a call of a free-form tool: it is answered with an error, since every tool here takes a JSON object. */
export function inputOfCustomCall(value: unknown): CallInput {
  return {
    input: value ?? '',
    inputError: 'This was called as a custom tool with free-form text. Call it as a function with a JSON object of arguments.',
  };
}
