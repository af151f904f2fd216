// Schemas of MCP servers, judged as those of all other tools are.
import type { SchemaJudge } from '../mcp/client/ports.ts';
import { schemaFault } from '../toolbox/input/check-schema.ts';
import type { NamedSchema } from '../toolbox/schemas/input-schema.ts';
import { inputValidator } from '../toolbox/input/input-validator.ts';

export const SCHEMA_JUDGE: SchemaJudge = {
  fault: (schema) => schemaFault(named(schema)),
  compile(schema) {
    const validate = inputValidator(named(schema));
    return (value) => {
      const checked = validate(value);
      if (checked.ok) return undefined;
      const [first] = checked.issues;
      return `${first?.path.join('.') ?? ''}: ${first?.message ?? 'it is not valid'}`;
    };
  },
};

function named(schema: object): NamedSchema {
  return { name: 'schema', inputSchema: { ...schema } };
}
