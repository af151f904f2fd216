import { Ajv2020 } from 'ajv/dist/2020.js';
import { messageOf, type InputCheck, type JsonSchema, type Tool } from '../contract/index.ts';
import { ToolDefinitionError } from '../contract/index.ts';
import { countSteps } from './count-steps.ts';
import { flattenUnions } from './flat-unions.ts';
import { inputJsonSchema } from './input-schema.ts';
import { joinErrors } from './join-errors.ts';
import { fromAjvErrors } from './json-schema-issues.ts';
import { schemaKind } from './schema-kind.ts';
import { hasUnevaluated, rewriteSchema } from './schema-parts.ts';
import type { ZodIssue } from './zod-issues.ts';
import { fromZodIssues } from './zod-issues.ts';
import { ZOD3_WORDS, ZOD_WORDS } from './zod-words.ts';

export type InputValidator = (input: unknown) => InputCheck;

/** A model cannot use more at once, and an array of many thousand wrong items must not cost more than that. */
const MAX_ISSUES = 100;
/** Errors of Ajv that are looked at: those of a union's branches become few issues. */
const MAX_ERRORS = 1_000;

const compiled = new WeakMap<object, InputValidator>();

/**
 * The validator of a tool's input, compiled once a schema. The validator itself never throws.
 * @throws ToolDefinitionError when a JSON Schema cannot be compiled
 */
export function inputValidator(tool: Tool): InputValidator {
  let validator = compiled.get(tool.inputSchema);
  if (!validator) {
    validator = neverThrowing(compile(tool));
    compiled.set(tool.inputSchema, validator);
  }
  return validator;
}

function compile(tool: Tool): InputValidator {
  const source = schemaKind(tool.inputSchema);
  if (source.kind === 'json') return compileJsonSchema(tool.name, inputJsonSchema(tool));
  return (input) => {
    const parsed = source.kind === 'zod3' ? source.schema.safeParse(input, ZOD3_WORDS) : source.schema.safeParse(input, ZOD_WORDS);
    if (parsed.success) return { ok: true, input: parsed.data };
    const issues: readonly ZodIssue[] = parsed.error.issues;
    return { ok: false, issues: fromZodIssues(input, issues.slice(0, MAX_ISSUES)) };
  };
}

/**
 * A JSON Schema may come from a stranger, together with the input it judges, so nothing in it may take long: regular
 * expressions are not run (a key that `patternProperties` might mean is let through) and `uniqueItems`, which is
 * quadratic, is not checked. The model still sees them, and the tool may still refuse. Formats are annotations.
 * Each schema gets an Ajv of its own: a shared one would keep every schema it ever saw, and refuse a second `$id`.
 */
function compileJsonSchema(name: string, schema: JsonSchema): InputValidator {
  const ajv = new Ajv2020({
    allErrors: true,
    strict: false,
    ownProperties: true,
    validateFormats: false,
    validateSchema: false,
    meta: false,
    // A part that many references name must not be compiled once for each of them.
    inlineRefs: false,
    // Making the code shorter takes longer than the calls of a session win by it.
    code: { optimize: false, regExp: Object.assign(() => ({ test: () => true }), { code: '' }) },
  });
  // What each part has looked at need not be told where nothing asks.
  const asks = hasUnevaluated(schema);
  ajv.opts.unevaluated = asks;
  for (const keyword of ['pattern', 'patternProperties', 'uniqueItems']) ajv.removeKeyword(keyword);
  flattenUnions(ajv);
  const count = countSteps(ajv);
  joinErrors(ajv, count.spend);
  try {
    const validate = ajv.compile(asks ? rewriteSchema(schema, knowingAll) : schema);
    return (input) => {
      count.restart();
      return validate(input)
        ? { ok: true, input }
        : { ok: false, issues: fromAjvErrors(input, validate.errors?.slice(0, MAX_ERRORS) ?? []).slice(0, MAX_ISSUES) };
    };
  } catch (error) {
    throw new ToolDefinitionError(`The inputSchema of tool ${name} cannot be compiled: ${messageOf(error)}`, { cause: error });
  }
}

/** With every key known where `patternProperties`, which is not run, might mean it. */
function knowingAll(part: JsonSchema): JsonSchema {
  return 'patternProperties' in part ? { additionalProperties: true, ...part } : part;
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
