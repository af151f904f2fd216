// Schemas come from strangers, together with what they judge, so that nothing in them may take long: regular expressions are
// not run and quadratic keywords are not checked. Each schema gets a validator of its own, since one keeps all it has seen.
import type { jsonSchemaValidator } from '@modelcontextprotocol/client';
import { Ajv, type ValidateFunction } from 'ajv';

/** @throws Error when the schema cannot be used */
export function compileSchema(schema: object): ValidateFunction {
  const ajv = new Ajv({
    strict: false,
    ownProperties: true,
    validateFormats: false,
    validateSchema: false,
    meta: false,
    logger: false,
    code: { regExp: Object.assign(() => ({ test: () => true }), { code: '' }) },
  });
  for (const keyword of ['pattern', 'patternProperties', 'uniqueItems']) ajv.removeKeyword(keyword);
  // `$async` would turn the answer into a promise.
  const { $schema: _dialect, $async: _async, ...plain } = schema as Record<string, unknown>;
  return ajv.compile(plain);
}

/** By which the SDK checks structured content against the schema that its tool has for it. */
export const OUTPUT_VALIDATOR: jsonSchemaValidator = {
  getValidator(schema: object) {
    const validate = compileSchema(schema);
    return (input) => {
      // What it is good for is for the caller to say, as the SDK's own validator has it.
      if (validate(input)) return { valid: true, data: input as never, errorMessage: undefined };
      const [first] = validate.errors ?? [];
      return { valid: false, data: undefined, errorMessage: `${first?.instancePath ?? ''} ${first?.message ?? 'is not valid'}`.trim() };
    };
  },
};
