import { messageOf, type InputCheck } from '../../contract/index.ts';
import { inputJsonSchema, type NamedSchema } from '../schemas/input-schema.ts';
import { jsonValidator } from './late-json-validator.ts';
import { schemaKind } from '../schemas/schema-kind.ts';
import type { ZodIssue } from './zod-issues.ts';
import { fromZodIssues } from './zod-issues.ts';
import { ZOD3_WORDS, ZOD_WORDS } from './zod-words.ts';

export type InputValidator = (input: unknown) => InputCheck;

/** A model cannot use more at once, and an array of many thousand wrong items must not cost more than that. */
const MAX_ISSUES = 100;

const compiled = new WeakMap<object, InputValidator>();

/**
 * The validator of a tool's input, compiled once a schema. The validator itself never throws.
 * @throws ToolDefinitionError when a JSON Schema cannot be compiled
 */
export function inputValidator(tool: NamedSchema): InputValidator {
  let validator = compiled.get(tool.inputSchema);
  if (!validator) {
    validator = neverThrowing(compile(tool));
    compiled.set(tool.inputSchema, validator);
  }
  return validator;
}

function compile(tool: NamedSchema): InputValidator {
  const source = schemaKind(tool.inputSchema);
  if (source.kind === 'json') return compileJson(tool);
  return (input) => {
    const parsed = source.kind === 'zod3' ? source.schema.safeParse(input, ZOD3_WORDS) : source.schema.safeParse(input, ZOD_WORDS);
    if (parsed.success) return { ok: true, input: parsed.data };
    const issues: readonly ZodIssue[] = parsed.error.issues;
    return { ok: false, issues: fromZodIssues(input, issues.slice(0, MAX_ISSUES)) };
  };
}

function compileJson(tool: NamedSchema): InputValidator {
  const { compileJsonSchema } = jsonValidator();
  const validate = compileJsonSchema(tool.name, inputJsonSchema(tool));
  return (input) => {
    const issues = validate(input, MAX_ISSUES);
    return issues === null ? { ok: true, input } : { ok: false, issues };
  };
}

/** A refinement of the author's may throw, and a recursive schema may exhaust the stack: the input then counts as invalid. */
function neverThrowing(validator: InputValidator): InputValidator {
  return (input) => {
    try {
      return validator(input);
    } catch (error) {
      return { ok: false, issues: [{ kind: 'other', path: [], message: `The input could not be checked: ${messageOf(error)}` }] };
    }
  };
}
