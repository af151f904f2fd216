// By which the SDK checks structured content against the schema that its tool has for it.
import type { jsonSchemaValidator } from '@modelcontextprotocol/client';
import type { SchemaJudge } from './ports.ts';

export function outputValidator(schemas: SchemaJudge): jsonSchemaValidator {
  return {
    getValidator(schema: object) {
      const faultOf = schemas.compile(schema);
      return (input) => {
        const fault = faultOf(input);
        // What it is good for is for the caller to say, as the SDK's own validator has it.
        if (fault === undefined) return { valid: true, data: input as never, errorMessage: undefined };
        return { valid: false, data: undefined, errorMessage: fault };
      };
    },
  };
}
