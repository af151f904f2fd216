// What checks inputs by plain JSON Schemas, and checks these. Whoever needs it takes it from late-json-validator.ts.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { messageOf, ToolDefinitionError, type InputIssue, type JsonSchema } from '../../contract/index.ts';
import { countSteps } from './count-steps.ts';
import { flattenUnions } from './flat-unions.ts';
import { joinErrors } from './join-errors.ts';
import { fromAjvErrors } from './json-schema-issues.ts';
import { hasUnevaluated, rewriteSchema } from '../schemas/schema-parts.ts';

/** Errors of Ajv that are looked at: those of a union's branches become few issues. */
const MAX_ERRORS = 1_000;

/** @returns what is wrong with the input, `null` when nothing is. @throws Error when checking takes too much */
export type JsonValidator = (input: unknown, maxIssues: number) => InputIssue[] | null;

let metaschema: Ajv2020 | undefined;

/** Why something is no JSON Schema at all, `undefined` when it is one. */
export function metaschemaFault(schema: JsonSchema): string | undefined {
  metaschema ??= new Ajv2020({ strict: false, validateFormats: false });
  return metaschema.validateSchema(schema) === true ? undefined : metaschema.errorsText();
}

/**
 * A JSON Schema may come from a stranger, together with the input it judges, so nothing in it may take long: regular
 * expressions are not run (a key that `patternProperties` might mean is let through) and `uniqueItems`, which is
 * quadratic, is not checked. The model still sees them, and the tool may still refuse. Formats are annotations.
 * Each schema gets an Ajv of its own: a shared one would keep every schema it ever saw, and refuse a second `$id`.
 * @param name of the tool
 * @throws ToolDefinitionError when it cannot be compiled
 */
export function compileJsonSchema(name: string, schema: JsonSchema): JsonValidator {
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
    return (input, maxIssues) => {
      count.restart();
      return validate(input) ? null : fromAjvErrors(input, validate.errors?.slice(0, MAX_ERRORS) ?? []).slice(0, maxIssues);
    };
  } catch (error) {
    throw new ToolDefinitionError(`The inputSchema of tool ${name} cannot be compiled: ${messageOf(error)}`, { cause: error });
  }
}

/** With every key known where `patternProperties`, which is not run, might mean it. */
function knowingAll(part: JsonSchema): JsonSchema {
  return 'patternProperties' in part ? { additionalProperties: true, ...part } : part;
}
